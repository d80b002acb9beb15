import { ConfigError, processConfig } from '../lib/config.ts'
import { errorText } from '../lib/i18n.ts'
import { createLogger } from '../lib/log.ts'
import { auditSeal, readAsCompany, type Verification, verifyCompany } from '../modules/audit/index.ts'
import { companiesWithLines } from './audit-verify.repo.ts'
import { openInstallation } from './beside.ts'
import { isPrintable } from './start-failure.ts'

/**
 * `npm run audit:verify`: makes every hash of every company's operation log again, beside a running server or on a
 * stopped one. Ends with 1 when a chain is broken, and says where.
 */
async function main(): Promise<boolean> {
  const config = processConfig()
  const logger = createLogger({ level: 'error', format: config.logFormat }, 'audit-verify')
  const { database, secretKey, close } = await openInstallation(config, logger)
  try {
    let ok = true
    for (const company of await companiesWithLines(database)) {
      const begun = performance.now()
      const found = await verifyCompany(readAsCompany(database, company.id), auditSeal(secretKey), company.id)
      process.stdout.write(report(company.name, found, performance.now() - begun))
      ok &&= found.ok
    }
    process.stdout.write(
      'not shown by this: newest lines that were removed, note and all, before they were linked (some two seconds)\n',
    )
    return ok
  } finally {
    await close()
  }
}

function report(name: string, found: Verification, tookMs: number): string {
  const earlier = found.earlier > 0 ? `, ${found.earlier} of them from before lines had a seal of their own` : ''
  if (found.ok)
    return found.checked === 0
      ? `ok      ${name}: nothing to verify yet\n`
      : `ok      ${name}: ${found.checked} lines, ${found.from} to ${found.to}, ${(tookMs / 1000).toFixed(1)} s, last hash ${found.head}${earlier}\n`
  const lines = found.problems.map(({ code, seq, auditId }) => {
    const place = seq === null ? 'beside the chain' : `place ${seq}`
    return `        ${place}${auditId ? `, line ${auditId}` : ''}: ${errorText('en', code)} (${code})\n`
  })
  return `BROKEN  ${name}: ${found.checked} lines looked at, first problem:\n${lines.join('')}`
}

main()
  .then(ok => process.exit(ok ? 0 : 1))
  .catch((error: unknown) => {
    process.stderr.write(
      `${error instanceof ConfigError || isPrintable(error) ? (error as Error).message : ((error as Error)?.stack ?? String(error))}\n`,
    )
    process.exit(2)
  })
