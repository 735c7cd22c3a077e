/** The settings as manual, reference and help topics show them. */
export interface SettingFacts {
  readonly rows: readonly SettingFact[]
  /** The variables of the vendors' own tools, by service. */
  readonly vendors: readonly (readonly [service: string, names: readonly string[]])[]
}

export interface SettingFact {
  readonly meaning: string
  readonly flag: string
  readonly variables: readonly string[]
  readonly profileKey: string | undefined
  readonly default: string | undefined
  readonly vendorVariables: readonly string[]
}
