# Packages and releases.

DEB := $(BUILD)/deb/pfmstat-$(VERSION)

deb: dist ## build Debian's package, in BUILD/deb, and have lintian look at it
	@rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb
	@cp $(BUILD)/pfmstat-$(VERSION).tar.gz $(BUILD)/deb/pfmstat_$(VERSION).orig.tar.gz
	@tar -xf $(BUILD)/pfmstat-$(VERSION).tar.gz -C $(BUILD)/deb && cp -r $(DEB)/packaging/debian $(DEB)/debian
	cd $(DEB) && env -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage -us -uc
	lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs $(BUILD)/deb/*.changes

# Checks by the installed tools of the other packages; in Debian those of rpm, nix-bin, makepkg and libarchive-tools.
check-packaging: ## check that the packages' files are valid and of this version
	@VERSION='$(VERSION)' packaging/check

release-check: ## what must hold before a release is tagged
	@VERSION='$(VERSION)' BUILD='$(BUILD)' packaging/check release

.PHONY: deb check-packaging release-check
