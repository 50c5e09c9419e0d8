# packaging.mk - installation and releases: tarballs, the Debian package, their tests.

# --- installing ------------------------------------------------------------------------------

# Man page and completions: a tool generates them from the program's own tables.
DESCRIBE_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard src/tools/describe*.c)))
DESCRIPTIONS  := $(addprefix $(BUILD)/share/,jaxreport.1 jaxreport.bash jaxreport.zsh jaxreport.fish \
	jaxreport.substvars)

$(BUILD)/describe: $(DESCRIBE_OBJS) $(filter-out %/main.o,$(CLI_OBJS)) $(LIB) $(BUILD)/flags
	$(call short,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(PKG_LIBS)

$(BUILD)/share/jaxreport.substvars: $(BUILD)/describe
	@mkdir -p $(@D)
	$(call short,SUBSTVARS,$@)$(EMULATOR) $(BUILD)/describe substvars >$@.new && mv $@.new $@

$(BUILD)/share/jaxreport.%: src/packaging/jaxreport.%.in $(BUILD)/describe
	@mkdir -p $(@D)
	$(call short,DESCRIBE,$@)$(EMULATOR) $(BUILD)/describe $* $< >$@.new && mv $@.new $@

.PHONY: descriptions
descriptions: $(DESCRIPTIONS) ## man page and completions below build/share

BINDIR  ?= $(PREFIX)/bin
DATADIR ?= $(PREFIX)/share
BASHDIR ?= $(DATADIR)/bash-completion/completions
ZSHDIR  ?= $(DATADIR)/zsh/site-functions
FISHDIR ?= $(DATADIR)/fish/vendor_completions.d
# Quoted for a shell: folder names may contain blanks, which make cannot handle.
TO = '$(DESTDIR)$1'
INSTALLED = $(call TO,$(BINDIR)/jaxreport) $(call TO,$(DATADIR)/man/man1/jaxreport.1) \
	$(call TO,$(BASHDIR)/jaxreport) $(call TO,$(ZSHDIR)/_jaxreport) $(call TO,$(FISHDIR)/jaxreport.fish) \
	$(call TO,$(DATADIR)/doc/jaxreport/README.md) $(call TO,$(DATADIR)/doc/jaxreport/GUIDE.md) \
	$(call TO,$(DATADIR)/doc/jaxreport/LICENSE)

.PHONY: install uninstall
install: all descriptions ## program, man page, completions below $(DESTDIR)$(PREFIX)
	install -D -m 755 $(BUILD)/jaxreport $(call TO,$(BINDIR)/jaxreport)
	install -D -m 644 $(BUILD)/share/jaxreport.1 $(call TO,$(DATADIR)/man/man1/jaxreport.1)
	install -D -m 644 $(BUILD)/share/jaxreport.bash $(call TO,$(BASHDIR)/jaxreport)
	install -D -m 644 $(BUILD)/share/jaxreport.zsh $(call TO,$(ZSHDIR)/_jaxreport)
	install -D -m 644 $(BUILD)/share/jaxreport.fish $(call TO,$(FISHDIR)/jaxreport.fish)
	install -d $(call TO,$(DATADIR)/doc/jaxreport)
	install -m 644 README.md examples/GUIDE.md src/packaging/LICENSE $(call TO,$(DATADIR)/doc/jaxreport)
	$(if $(DESTDIR),,$(call next,'Next: $(BINDIR)/jaxreport --help'))
uninstall: ## remove what install put there
	rm -f $(INSTALLED)
	-rmdir $(call TO,$(DATADIR)/doc/jaxreport)

# --- releases --------------------------------------------------------------------------------

VERSION  := $(shell sed -n 's/^.define JR_VERSION "\(.*\)"/\1/p' src/report/core/report.h)
RELEASE  := jaxreport-$(VERSION)
DIST     := $(BUILD)/dist
MACHINE  := $(shell uname -m)
# The time in a tarball: that of the commit, or of the release without git.
RELEASED  = $(shell sed -n 's/^.define JR_RELEASED "\([0-9-]*\)".*/\1/p' src/report/core/report.h)
EPOCH     = $(or $(SOURCE_DATE_EPOCH),$(if $(wildcard .git),$(shell git log -1 --format=%ct)),\
	$(shell date -u -d '$(RELEASED)' +%s))
# A pipeline must fail if any part of it does; Debian's sh has no option for that.
dist dist-static: SHELL := /bin/bash
dist dist-static: .SHELLFLAGS := -o pipefail -c
# How much xz compresses the sources: a test of the tarball needs less than a release.
XZ_LEVEL ?= 9
# The same tree gives the same bytes, independent of owner, order of folders, time and umask.
TAR = LC_ALL=C tar --sort=name --format=ustar --mtime=@$(EPOCH) --owner=0 --group=0 --numeric-owner \
	--mode=u+rw,go+r,go-w

# The contents of the static program, as SPDX.
SBOM := share/doc/jaxreport/jaxreport.spdx.json

.PHONY: dist
dist: ## release tarball of the sources below build/dist, the same bytes for the same commit
	@mkdir -p $(DIST)
	$(if $(wildcard .git),git ls-files,find . -type f -not -path './$(BUILD)/*' -printf '%P\n') | \
		LC_ALL=C sort | $(TAR) --transform='s,^,$(RELEASE)/,' -cf - --verbatim-files-from -T - | \
		xz -$(XZ_LEVEL) -T1 >$(DIST)/$(RELEASE).tar.new
	mv $(DIST)/$(RELEASE).tar.new $(DIST)/$(RELEASE).tar.xz
	cd $(DIST) && sha256sum $(RELEASE).tar.xz >$(RELEASE).tar.xz.sha256

.PHONY: dist-static
dist-static: ## tarball of a program that needs no shared library where it runs (see STATIC)
	@src/tools/deps build link
	$(MAKE) BUILD=$(BUILD)/static STATIC=1 all descriptions
	rm -rf $(BUILD)/static/staged
	$(MAKE) BUILD=$(BUILD)/static STATIC=1 install PREFIX=/$(RELEASE) DESTDIR=$(BUILD)/static/staged
	strip $(BUILD)/static/staged/$(RELEASE)/bin/jaxreport
	src/tools/sbom $(RELEASE) $(EPOCH) $(BUILD)/static/staged/$(RELEASE)/bin/jaxreport \
		$(BUILD)/static/jaxreport.map >$(BUILD)/static/staged/$(RELEASE)/$(SBOM)
	@mkdir -p $(DIST)
	$(TAR) -C $(BUILD)/static/staged -cf - $(RELEASE) | xz -T1 >$(DIST)/$(RELEASE)-static.tar.new
	mv $(DIST)/$(RELEASE)-static.tar.new $(DIST)/$(RELEASE)-linux-$(MACHINE).tar.xz

.PHONY: dist-test
dist-test: all examples dist-static ## the tarballs: the same bytes twice, complete, few libraries
	@BUILD=$(BUILD) tests/packaging/dist

# The package is built from the tarball, so an incomplete tarball fails here. DEB_BUILD_OPTIONS=noopt: without
# optimization, which takes a third of the time.
DEB := $(BUILD)/deb
.PHONY: deb
deb: ## Debian package below build/deb, seen through by lintian
	@src/tools/deps build render test deb
	$(MAKE) dist
	rm -rf $(DEB)/$(RELEASE) $(DEB)/jaxreport_* $(DEB)/jaxreport-dbgsym*
	@mkdir -p $(DEB)
	cp $(DIST)/$(RELEASE).tar.xz $(DEB)/jaxreport_$(VERSION).orig.tar.xz
	tar -C $(DEB) -xf $(DIST)/$(RELEASE).tar.xz
	cp -r src/packaging/debian $(DEB)/$(RELEASE)/debian
	cd $(DEB)/$(RELEASE) && env -u MAKEFLAGS -u MAKEOVERRIDES -u DEVELOPER -u BUILD -u CFLAGS \
		SOURCE_DATE_EPOCH=$(EPOCH) dpkg-buildpackage -us -uc -j$(shell nproc)
	cd $(DEB) && lintian --allow-root --fail-on error,warning jaxreport_$(VERSION)-*.changes

.PHONY: deb-test
deb-test: all examples deb ## install the package in a chroot made by debootstrap, render a sample
	@$(if $(findstring noopt,$(DEB_BUILD_OPTIONS)),echo 'deb: SKIPPED optimization: DEB_BUILD_OPTIONS=noopt')
	@src/tools/deps build render deb
	@BUILD=$(BUILD) SOURCE_DATE_EPOCH=$(EPOCH) tests/packaging/deb

.PHONY: image-test
image-test: all examples dist ## do what the Dockerfile says in chroots made by debootstrap
	@src/tools/deps build render deb
	@BUILD=$(BUILD) tests/packaging/image

.PHONY: arm64-test
arm64-test: all examples descriptions ## build for arm64 in a chroot made by debootstrap; under QEMU, reports are the same
	@src/tools/deps build render deb
	@BUILD=$(BUILD) tests/packaging/arm64

.PHONY: check-bare
check-bare: ## make check by a user of a chroot made by debootstrap, which lacks terminals
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/packaging/check $(if $(DEVELOPER),DEVELOPER=1) \
		$(foreach v,SUITES FULL SEEDS EVERY PART,$(if $(filter command line,$(origin $v)),$v='$($v)'))

.PHONY: readme-test
readme-test: all examples $(BUILD)/jr-generate ## run README.md's commands in chroots made by debootstrap, by root and by a user
	@BUILD=$(BUILD) tests/packaging/readme
