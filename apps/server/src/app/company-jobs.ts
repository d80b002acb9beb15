import type { Database } from '../lib/database/database.ts'
import type { Logger } from '../lib/log.ts'
import type { ModuleParts } from '../lib/module.ts'
import { sql } from '../lib/sql/statement.ts'
import type { TenantsModule } from '../modules/tenants/index.ts'

export interface CompanyJobs {
  start(): void
  stop(): Promise<void>
}

const TERMS_MS = 60_000
/** Quotas that fill and certificates that end without anybody asking are looked at this often. */
const WATCH_MS = 15 * 60_000

const WATCH_COMPANIES = sql<{ id: string }>`select id from tenants where kind = 'company' order by id`

/** What happens to companies by the passing of time: terms that end, quotas that fill, certificates and API keys that end. Safe beside other processes. */
export function createCompanyJobs(options: {
  database: Database
  company: Pick<TenantsModule, 'states'>
  /** Look after one company: its quotas, certificates and API keys that end soon. */
  modules: readonly Pick<ModuleParts, 'watchCompany'>[]
  logger: Logger
  now(): number
}): CompanyJobs {
  const { database, company, modules, logger, now } = options
  const timers: NodeJS.Timeout[] = []
  const running = new Set<Promise<unknown>>()
  let stopped = false

  function run(what: string, work: () => Promise<unknown>): void {
    const job = work()
      .catch((error: unknown) => logger.warn({ err: error, what }, 'company job failed, later again'))
      .finally(() => running.delete(job))
    running.add(job)
  }

  async function watchCompanies(): Promise<void> {
    const { rows } = await database.withSystemScope('maintenance', scope => scope.run(WATCH_COMPANIES))
    for (const { id } of rows) {
      if (stopped) return
      for (const module of modules) await module.watchCompany?.(id, now())
    }
  }

  return {
    start() {
      const every = (ms: number, what: string, work: () => Promise<unknown>) => {
        const timer = setInterval(() => run(what, work), ms)
        timer.unref()
        timers.push(timer)
      }
      every(TERMS_MS, 'terms', () => company.states.run(now()))
      every(WATCH_MS, 'quotas and certificates', watchCompanies)
      run('terms', () => company.states.run(now()))
    },
    async stop() {
      stopped = true
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running)
    },
  }
}
