# Writes OUTPUT, which defines kexpr::code::buildId(), from the sources, flags
# and name that INPUTS sets.
include(${INPUTS})
set(digests "${flags}")
foreach(source IN LISTS sources)
  file(SHA256 ${source} digest)
  string(APPEND digests " ${digest}")
endforeach()
string(SHA256 digest "${digests}")
string(SUBSTRING ${digest} 0 16 digest)
file(WRITE ${OUTPUT} "#include \"Code/Identity.h\"
#include \"Support/Fork.h\"

static constinit kexpr::Once<const std::string> id;

const std::string &kexpr::code::buildId() {
  return id.get([] { return \"${name}, build ${digest}\"; });
}
")
