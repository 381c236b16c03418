# nix-build packaging/nix
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "pfmstat";
  version = "0.1.0";
  src = ../..;

  # Loaded by name when first needed: they must be in the program's own search path.
  buildInputs = with pkgs; [ libpfm elfutils ];
  makeFlags = [ "PREFIX=$(out)" "STRIP=" "SHELL=${pkgs.bash}/bin/bash" ];
  buildFlags = [ "all" "unit" ];
  postPatch = "patchShebangs tests/helpers";
  postFixup = ''
    patchelf --add-rpath ${pkgs.lib.makeLibraryPath (with pkgs; [ libpfm elfutils ])} $out/bin/pfmstat
  '';
  doCheck = true;
  checkTarget = "check-unit";

  meta = {
    description = "Count performance events and say how far to trust the counts";
    license = pkgs.lib.licenses.mit;
    platforms = pkgs.lib.platforms.linux;
    mainProgram = "pfmstat";
  };
}
