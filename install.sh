#!/bin/sh
# Installs the tug executable for this system, after checking it against the release's SHA256SUMS:
#
#   curl -fsSL https://github.com/OWNER/tug/releases/latest/download/install.sh | sh
#
# TUG_VERSION       a version such as 1.0.0 or v1.0.0 (default: the latest release)
# TUG_INSTALL_DIR   the folder for the executable (default: ~/.local/bin)
# TUG_DOWNLOAD_URL  a mirror: the folder that contains SHA256SUMS and the archives
set -eu

releases=https://github.com/OWNER/tug/releases

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

download() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --retry 3 --output "$2" "$1"
  elif command -v wget >/dev/null; then
    wget --quiet --output-document "$2" "$1"
  else
    fail 'curl or wget is required'
  fi || fail "could not download $1"
}

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

# Called on the last line, so a script that was cut off does nothing.
main() {
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) platform=linux-x64 ;;
    Linux-aarch64 | Linux-arm64) platform=linux-arm64 ;;
    Darwin-arm64) platform=darwin-arm64 ;;
    *) fail "there is no executable for $(uname -s) $(uname -m); with Node, use npm instead" ;;
  esac
  version=${TUG_VERSION-}
  version=${version#v}
  if [ -n "${TUG_DOWNLOAD_URL-}" ]; then
    source=$TUG_DOWNLOAD_URL
  elif [ -n "$version" ]; then
    source=$releases/download/v$version
  else
    source=$releases/latest/download
  fi
  case $source in
    https://* | http://127.0.0.1* | http://localhost*) ;;
    *) fail "$source is not an https address" ;;
  esac
  command -v sha256sum >/dev/null || command -v shasum >/dev/null ||
    fail 'sha256sum or shasum is required to verify the download'
  target=${TUG_INSTALL_DIR-$HOME/.local/bin}

  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  download "$source/SHA256SUMS" "$folder/SHA256SUMS"
  line=$(grep -E "^[0-9a-f]{64}  tug-${version:-[^ /]+}-$platform\.tar\.gz\$" "$folder/SHA256SUMS") ||
    fail "SHA256SUMS has no archive${version:+ of version $version} for $platform"
  expected=${line%%  *}
  archive=${line#*  }
  download "$source/$archive" "$folder/archive"
  actual=$(sha256 "$folder/archive")
  [ "$actual" = "$expected" ] || fail "$archive does not match SHA256SUMS; nothing was installed"

  tar -xzf "$folder/archive" -C "$folder"
  program=$folder/${archive%.tar.gz}/tug
  version=$("$program" --version) || fail "the executable does not run on this system (is its C library glibc?); with Node, use npm instead"
  mkdir -p "$target"
  # Replaced in one step: tug may be running.
  cp "$program" "$target/.tug-new"
  chmod 755 "$target/.tug-new"
  mv -f "$target/.tug-new" "$target/tug"
  echo "installed tug $version in $target"
  case ":$PATH:" in
    *":$target:"*) ;;
    *) echo "add $target to your PATH" ;;
  esac
}

main
