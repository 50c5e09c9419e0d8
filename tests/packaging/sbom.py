#!/usr/bin/env python3
"""The static program's component list: SPDX 2.3 that identifies the program by its digest, and lists each
archive in the linker's map once.

usage: sbom.py LIST MAP PROGRAM
"""
import hashlib
import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file)
packages = {p["SPDXID"]: p for p in document["packages"]}
wrong = []
for key, value in (("spdxVersion", "SPDX-2.3"), ("dataLicense", "CC0-1.0"), ("SPDXID", "SPDXRef-DOCUMENT")):
    if document[key] != value:
        wrong.append(f"{key} is {document[key]}")
if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"]):
    wrong.append("no time of creation")
if len(packages) != len(document["packages"]):
    wrong.append("two packages of one SPDXID")
for spdx_id, package in packages.items():
    if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", spdx_id):
        wrong.append(f"{spdx_id} is not an SPDXID")
    for key in ("name", "versionInfo", "downloadLocation", "licenseDeclared"):
        if not package[key]:
            wrong.append(f"{spdx_id} has no {key}")
    if package["versionInfo"] == "NOASSERTION":
        wrong.append(f"no version of {package['name']}")
with open(sys.argv[3], "rb") as file:
    if packages["SPDXRef-jaxreport"]["checksums"][0]["checksumValue"] != hashlib.sha256(file.read()).hexdigest():
        wrong.append("the digest is not the program's")
related = {(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"]) for r in document["relationships"]}
wanted = {("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-jaxreport")} | {
    ("SPDXRef-jaxreport", "STATIC_LINK", spdx_id) for spdx_id in packages if spdx_id != "SPDXRef-jaxreport"}
if related != wanted:
    wrong.append(f"relationships: {related ^ wanted}")
named = sorted(a for p in packages.values() for a in p.get("comment", "").rpartition(": ")[2].split())
with open(sys.argv[2], encoding="utf-8", errors="replace") as file:
    linked = {line.partition(".a(")[0].rpartition("/")[2] + ".a" for line in file
              if re.match(r"\S+\.a\(", line)} - {"libjaxreport.a"}
if named != sorted(linked) or "libc.a" not in linked or "libzip.a" not in linked:
    wrong.append(f"named {named}, linked {sorted(linked)}")
print("\n".join(wrong), end="")
