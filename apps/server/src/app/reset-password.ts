import { recordAudit } from '../lib/audit.ts'
import { ConfigError, processConfig } from '../lib/config.ts'
import { systemContext } from '../lib/context.ts'
import { randomKey } from '../lib/ids.ts'
import { createLogger } from '../lib/log.ts'
import { hashPassword } from '../modules/identity/index.ts'
import { setPassword } from '../modules/identity/password-override.repo.ts'
import { openInstallation } from './beside.ts'
import { isPrintable } from './start-failure.ts'

/** `npm run reset-password -- USER`: a new password, printed once; every session of the login ends. */
async function main(username: string | undefined): Promise<void> {
  if (!username) throw new ConfigError('Usage: npm run reset-password -- USER')
  const config = processConfig()
  const logger = createLogger({ level: 'error', format: config.logFormat }, 'reset-password')
  const { database, close } = await openInstallation(config, logger)
  try {
    const password = randomKey(14)
    const hash = await hashPassword(password)
    const changed = await database.withSystemScope('sign-in', async scope => {
      const login = await setPassword(scope, username, hash)
      if (!login) return false
      await recordAudit(scope, systemContext(login.tenant_id, 'reset-password'), {
        action: 'login.reset_password',
        objectType: 'login',
        objectId: login.id,
        objectName: username,
      })
      return true
    })
    if (!changed) throw new ConfigError(`There is no login ${JSON.stringify(username)}`)
    process.stdout.write(
      `New password of ${username}: ${password}\nIt is shown once. All sessions of this login have ended.\n`,
    )
  } finally {
    await close()
  }
}

main(process.argv[2]).catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof ConfigError || isPrintable(error) ? (error as Error).message : ((error as Error)?.stack ?? String(error))}\n`,
  )
  process.exit(1)
})
