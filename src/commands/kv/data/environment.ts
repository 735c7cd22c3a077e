import { changedEnvironment } from '../../../core/environment.ts'
import type { Context } from '../../../core/context.ts'
import { flag } from '../../../core/param.ts'
import { tokenVariable } from '../../../core/secret-names.ts'

export const keepTokensFlag = flag.boolean('pass on the variables with tokens and headers')

/** A child's environment: that of tug with `added`, and without its tokens unless they are to be kept. */
export function childEnvironment(
  { io }: Pick<Context, 'io'>,
  keepTokens: boolean | undefined,
  added: Readonly<Record<string, string>> = {},
): Record<string, string | undefined> {
  return changedEnvironment(io.env, io.platform, keepTokens === true ? { added } : { drop: tokenVariable, added })
}

/**
 * Beginnings of the names of variables that decide what a child process loads or runs. A TUG_ variable can send tokens
 * elsewhere, or name a program that prints one.
 */
const beginnings =
  'LD_ DYLD_ BASH_FUNC_ GIT_CONFIG_ COR_ CORECLR_ LUA_INIT LUA_PATH LUA_CPATH TUG_ NPM_CONFIG_ npm_config_'.split(' ')

/** Their whole names. */
const names = new Set(
  `PATH IFS CDPATH ENV BASH_ENV BASHOPTS SHELLOPTS PROMPT_COMMAND PS4 SHELL ZDOTDIR FPATH
  COMSPEC PATHEXT SYSTEMROOT WINDIR PSMODULEPATH PSEXECUTIONPOLICYPREFERENCE __COMPAT_LAYER
  GCONV_PATH GLIBC_TUNABLES LOCPATH NLSPATH LESSOPEN LESSCLOSE
  HOME USERPROFILE APPDATA LOCALAPPDATA XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS
  EDITOR VISUAL PAGER MANPAGER BROWSER SUDO_ASKPASS SUDO_EDITOR VIMINIT EXINIT
  NODE_OPTIONS NODE_PATH YARN_YARN_PATH YARN_RC_FILENAME
  PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONINSPECT PYTHONBREAKPOINT PYTHONUSERBASE PYTHONWARNINGS PYTHONEXECUTABLE
  PERL5OPT PERL5LIB PERL5DB PERLLIB
  RUBYOPT RUBYLIB GEM_HOME GEM_PATH BUNDLE_GEMFILE
  PHPRC PHP_INI_SCAN_DIR ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS R_PROFILE R_PROFILE_USER R_ENVIRON R_ENVIRON_USER
  CLASSPATH JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS JAVA_OPTS MAVEN_OPTS GRADLE_OPTS
  DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE DOTNET_ROOT
  OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES
  MAKEFLAGS MAKEFILES GOFLAGS GOENV CARGO_HOME RUSTC RUSTC_WRAPPER TAR_OPTIONS RSYNC_RSH WGETRC CURL_HOME PSQLRC
  KUBECONFIG AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE DOCKER_CONFIG TF_CLI_CONFIG_FILE ANSIBLE_CONFIG
  GIT_DIR GIT_WORK_TREE GIT_TEMPLATE_DIR GIT_SEQUENCE_EDITOR
  GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_PROXY_COMMAND SSH_ASKPASS`.split(
    /\s+/,
  ),
)

/** True for a variable that decides what programs load or run, whatever the command is. */
export function choosesCode(name: string): boolean {
  return names.has(name) || beginnings.some((start) => name.startsWith(start))
}
