# Writes OUTPUT, which defines kexpr::code::buildId() and sourceId(), from the
# sources, flags, name and version that INPUTS sets.
include(${INPUTS})
set(digests)
foreach(source IN LISTS sources)
  file(SHA256 ${source} digest)
  string(APPEND digests " ${digest}")
endforeach()
string(SHA256 sources_digest "${digests}")
string(SUBSTRING ${sources_digest} 0 16 sources_digest)
string(SHA256 digest "${flags}${digests}")
string(SUBSTRING ${digest} 0 16 digest)
file(WRITE ${OUTPUT} "#include \"Code/Identity.h\"
#include \"Support/Fork.h\"

static constinit kexpr::Once<const std::string> id, sources;

const std::string &kexpr::code::buildId() {
  return id.get([] { return \"${name}, build ${digest}\"; });
}
const std::string &kexpr::code::sourceId() {
  return sources.get([] { return \"${version}, sources ${sources_digest}\"; });
}
")
