/** A provider or module in one version. */
export interface Component {
  readonly host: string
  readonly namespace: string
  readonly name: string
  /** The provider a module is for; providers have none. */
  readonly system?: string
  readonly version: string
}

interface Project {
  readonly id: string
  readonly name: string
}

export interface Workspace {
  readonly id: string
  readonly name: string
  readonly project: Project
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly run: { readonly id: string; readonly status: string; readonly appliedAt: Date | null } | null
  readonly checks: Readonly<Record<'errored' | 'failed' | 'passed' | 'unknown', number>> | null
  /** How many resources drifted; null if nobody looked. */
  readonly drifted: number | null
  readonly resourceCount: number
  readonly toolVersion: string
  /** Null without state. */
  readonly stateVersion: string | null
  readonly repository: string | null
  readonly tags: readonly string[]
  readonly sourceModule: string | null
  readonly providers: readonly Component[]
  readonly modules: readonly Component[]
}

const day = 24 * 60 * 60 * 1000

/** Two workspaces differ only in case; some project names need care in CSV, spreadsheets and columns. */
const applicationsOf: Readonly<Record<string, string>> = {
  Payments: `payments billing-api ledger checkout refunds invoices fraud-scoring payouts tax-rules card-vault
    reconciliation subscriptions`,
  Platform: 'network dns gateway cluster identity logging metrics tracing registry build-agents backups bastion mesh',
  Data: 'warehouse lake stream-ingest reports feature-store catalog notebooks etl-nightly quality lineage exports',
  Search: 'index crawler ranking suggest query-log synonyms embeddings relevance images spelling facets',
  'Default Project': 'legacy-dns Billing-API sandbox scratch landing-page status-page wiki mailer forms old-vpn',
  'Research, "Moonshot"': 'simulator telescope gene-browser model-zoo labeling rover annealer sequencer orbits',
  'Zürich Betrieb': 'fahrplan leitstelle anzeigen tickets depot sensoren wartung lager personal verkauf weichen',
  東京リージョン: 'storefront loyalty couriers maps push-messages chat locations translations kiosk menus stamps',
  '+1 Experiments': 'pricing-ab onboarding-ab dark-mode recommendations coupons surveys widgets teaser beta-portal',
}
const environments = ['prod', 'staging', 'dev']

/** Oldest first. */
const toolVersions = ['1.5.7', '1.6.6', '1.8.5', '1.9.8', '1.9.10', '1.10.0', '1.10.5', '1.11.2', '1.12.0-rc1']

const runStatuses =
  `errored errored discarded canceled planned planned policy_soft_failed cost_estimated applying pending
  post_plan_awaiting_decision assessed`.split(/\s+/)

/** States that no client knows. */
const unheardOf = ['queued_for_review', 'awaiting_quota_check']

function runStatus(random: Random): string {
  if (random.chance(0.5)) return 'applied'
  return random.chance(0.4) ? 'planned_and_finished' : random.pick([...runStatuses, ...unheardOf])
}

const publicHost = 'registry.terraform.io'
const privateHost = 'app.terraform.io'

function versionsOf(component: Omit<Component, 'version'>, ...versions: readonly string[]): Component[] {
  return versions.map((version) => ({ ...component, version }))
}

function provider(name: string, ...versions: readonly string[]): Component[] {
  return versionsOf({ host: publicHost, namespace: 'hashicorp', name }, ...versions)
}

const providers: readonly Component[] = [
  ...provider('aws', '5.9.0', '5.10.0', '5.94.1', '6.2.0'),
  ...provider('google', '6.8.0', '6.30.0'),
  ...provider('azurerm', '4.9.0', '4.26.0'),
  ...provider('random', '3.6.3', '3.7.1'),
  ...provider('kubernetes', '2.36.0'),
  ...provider('null', '3.2.4'),
  ...versionsOf({ host: publicHost, namespace: 'DataDog', name: 'datadog' }, '3.60.0'),
  ...versionsOf({ host: privateHost, namespace: 'acme', name: 'ledger' }, '0.9.0', '0.10.0'),
]

function privateModule(name: string, ...versions: readonly string[]): Component[] {
  return versionsOf({ host: privateHost, namespace: 'acme', name, system: 'aws' }, ...versions)
}

const modules: readonly Component[] = [
  ...privateModule('network', '2.4.0', '3.1.0', '3.10.0'),
  ...privateModule('service', '1.0.0', '1.9.2', '1.10.0'),
  ...privateModule('tags', '0.4.2'),
  ...versionsOf(
    { host: publicHost, namespace: 'terraform-aws-modules', name: 'vpc', system: 'aws' },
    '5.8.1',
    '5.19.0',
  ),
  ...versionsOf({ host: publicHost, namespace: 'terraform-aws-modules', name: 'rds', system: 'aws' }, '6.11.0'),
  // The same name and version as a private one.
  ...versionsOf({ host: publicHost, namespace: 'cloudposse', name: 'tags', system: 'null' }, '0.4.2'),
]

/** The workspaces of the demo organization, oldest first: the same at every start, with times counted back from now. */
export function demoWorkspaces(now: Date): Workspace[] {
  const random = new Random(20_250_314)
  const places = Object.entries(applicationsOf).flatMap(([projectName, applications]) => {
    const project = { id: random.id('prj'), name: projectName }
    return applications
      .split(/\s+/)
      .flatMap((application) => environments.map((environment) => ({ project, application, environment })))
  })
  const age = (index: number): number => (920 - (900 * index) / places.length + random.next()) * day
  const made = places.map((place, index) => workspace(random, now, place, age(index)))
  return withDrift(random, [paymentsProd(random, now, made[0] as Workspace), ...made.slice(1)])
}

interface Place {
  readonly project: Project
  readonly application: string
  readonly environment: string
}

function workspace(random: Random, now: Date, { project, application, environment }: Place, age: number): Workspace {
  const createdAt = new Date(now.getTime() - Math.floor(age))
  const updatedAt = new Date(now.getTime() - Math.floor(age * random.next() ** 3))
  const toolVersion = random.integer(0, toolVersions.length - 1)
  const used = random.chance(0.94)
  return {
    id: random.id('ws'),
    name: `${application}-${environment}`,
    project,
    createdAt,
    updatedAt,
    run: used ? run(random, runStatus(random), createdAt, updatedAt) : null,
    checks: used && random.chance(0.85) ? checks(random) : null,
    drifted: null,
    resourceCount: used ? random.integer(1, 60) : 0,
    toolVersion: toolVersions[toolVersion] as string,
    stateVersion: used ? (toolVersions[Math.max(0, toolVersion - random.integer(0, 2))] as string) : null,
    repository: random.chance(0.75) ? `acme/${application}` : null,
    tags: random.chance(0.8) ? tags(random, environment) : [],
    sourceModule: random.chance(0.06) ? random.id('mod') : null,
    providers: used ? random.sample(providers, 4) : [],
    modules: used ? random.sample(modules, 3) : [],
  }
}

function run(random: Random, status: string, createdAt: Date, updatedAt: Date): Workspace['run'] {
  const moment = Math.max(createdAt.getTime(), updatedAt.getTime() - random.integer(900, 90_000))
  return { id: random.id('run'), status, appliedAt: status === 'applied' ? new Date(moment) : null }
}

function checks(random: Random): Workspace['checks'] {
  const few = (share: number): number => (random.chance(share) ? random.integer(1, 3) : 0)
  return { errored: few(0.04), failed: few(0.15), passed: random.integer(0, 12), unknown: few(0.06) }
}

function tags(random: Random, environment: string): string[] {
  const more = ['shared', 'tier:1', 'tier:2', 'owner:équipe-core', '@oncall', 'cost-center:4711']
  return [`env:${environment}`, ...random.sample(more, 3)]
}

/** The oldest workspace, which examples use. */
function paymentsProd(random: Random, now: Date, made: Workspace): Workspace {
  const updatedAt = new Date(now.getTime() - 2 * 60 * 60 * 1000)
  return {
    ...made,
    updatedAt,
    run: run(random, 'applied', made.createdAt, updatedAt),
    checks: { errored: 0, failed: 1, passed: 11, unknown: 0 },
    resourceCount: 41,
    toolVersion: '1.10.5',
    stateVersion: '1.9.8',
    repository: 'acme/payments',
    tags: ['env:prod', 'tier:1'],
    providers: providers.filter(({ version }) => version === '5.94.1' || version === '3.7.1'),
    modules: modules.filter(({ name, version }) => name === 'network' && version === '3.1.0'),
  }
}

/** 37 workspaces have drifted: more than a page by default, fewer than a page at its largest. */
function withDrift(random: Random, workspaces: readonly Workspace[]): Workspace[] {
  const assessed = workspaces.filter(({ checks: found }) => found !== null)
  const hit = new Set(assessed.filter((_, index) => index % 6 === 0).slice(0, 37))
  return workspaces.map((one) => {
    if (one.checks === null) return one
    const drifted = one.name === 'payments-prod' ? 4 : random.integer(1, Math.min(9, one.resourceCount))
    return { ...one, drifted: hit.has(one) ? drifted : 0 }
  })
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Numbers that look random but are the same at every start (mulberry32). */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed
  }

  /** From 0 up to but not including 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  /** An integer between the two, inclusive. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  /** An item of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)] as Item
  }

  /** Up to `most` items, in the order of the list. */
  sample<Item>(items: readonly Item[], most: number): Item[] {
    const left = new Set<Item>()
    for (let count = this.integer(0, most); count > 0; count -= 1) left.add(this.pick(items))
    return items.filter((item) => left.has(item))
  }

  /** An ID in the service's form: prefix, dash, 16 letters and digits. */
  id(prefix: string): string {
    const letters = Array.from({ length: 16 }, () => alphabet[this.integer(0, alphabet.length - 1)])
    return `${prefix}-${letters.join('')}`
  }
}
