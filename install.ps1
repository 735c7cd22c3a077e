# Installs the tug executable for Windows, after checking it against the release's SHA256SUMS:
#
#   irm https://github.com/OWNER/tug/releases/latest/download/install.ps1 | iex
#
# TUG_VERSION       a version such as 1.0.0 or v1.0.0 (default: the latest release)
# TUG_INSTALL_DIR   the folder for the executable (default: %LOCALAPPDATA%\Programs\tug)
# TUG_DOWNLOAD_URL  a mirror: the folder that contains SHA256SUMS and the archives
function Install-Tug {
  $ErrorActionPreference = 'Stop'
  $ProgressPreference = 'SilentlyContinue'
  # Windows PowerShell on older systems offers TLS 1.0 only.
  if ($PSVersionTable.PSVersion.Major -lt 6) { [Net.ServicePointManager]::SecurityProtocol = 'Tls12' }
  $releases = 'https://github.com/OWNER/tug/releases'
  $asked = "$env:TUG_VERSION" -replace '^v'
  $source = if ($env:TUG_DOWNLOAD_URL) { $env:TUG_DOWNLOAD_URL }
    elseif ($asked) { "$releases/download/v$asked" }
    else { "$releases/latest/download" }
  if ($source -notmatch '^(https://|http://(127\.0\.0\.1|localhost)\b)') { throw "$source is not an https address" }
  $target = if ($env:TUG_INSTALL_DIR) { $env:TUG_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\tug' }
  $wanted = if ($asked) { [regex]::Escape($asked) } else { '[^ /\\]+' }

  $folder = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
  New-Item -ItemType Directory $folder | Out-Null
  try {
    $sums = Join-Path $folder 'SHA256SUMS'
    Invoke-WebRequest -UseBasicParsing "$source/SHA256SUMS" -OutFile $sums
    $line = Get-Content $sums | Where-Object { $_ -match "^[0-9a-f]{64}  tug-$wanted-win32-x64\.zip$" } | Select-Object -First 1
    if (-not $line) { throw "SHA256SUMS has no archive$(if ($asked) { " of version $asked" }) for Windows on x64" }
    $expected, $archive = $line -split '  ', 2
    $zip = Join-Path $folder 'archive.zip'
    Invoke-WebRequest -UseBasicParsing "$source/$archive" -OutFile $zip
    if ((Get-FileHash -Algorithm SHA256 $zip).Hash -ne $expected) {
      throw "$archive does not match SHA256SUMS; nothing was installed"
    }
    Expand-Archive $zip $folder
    $program = Join-Path $folder "$($archive -replace '\.zip$')\tug.exe"
    $version = & $program --version
    if ($LASTEXITCODE -ne 0) { throw 'the executable does not run on this system' }
    New-Item -ItemType Directory -Force $target | Out-Null
    Copy-Item -Force $program (Join-Path $target 'tug.exe')
    Write-Output "installed tug $version in $target"
    if (($env:PATH -split ';') -notcontains $target) { Write-Output "add $target to your PATH" }
  } finally {
    Remove-Item -Recurse -Force $folder
  }
}

# On the last line, so a script that was cut off does nothing.
Install-Tug
