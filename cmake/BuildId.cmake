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

const std::string &kexpr::code::buildId() {
  static const std::string id = \"${name}, build ${digest}\";
  return id;
}
")
