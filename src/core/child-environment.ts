/** The name of a variable as the platform compares it: Windows ignores case. */
export function variableName(name: string, platform: string): string {
  return platform === 'win32' ? name.toUpperCase() : name
}

/** A child's environment: `env` without the names that match `drop`, plus `added`, which replaces variables of the same name. */
export function changedEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
  { drop, added = {} }: { drop?: RegExp; added?: Readonly<Record<string, string | undefined>> },
): Record<string, string | undefined> {
  const replaced = new Set(Object.keys(added).map((name) => variableName(name, platform)))
  const kept = Object.entries(env).filter(([spelled]) => {
    const name = variableName(spelled, platform)
    return !replaced.has(name) && drop?.test(name) !== true
  })
  // Not by assignment: a key of a secret may be `__proto__`.
  return Object.fromEntries([...kept, ...Object.entries(added)])
}
