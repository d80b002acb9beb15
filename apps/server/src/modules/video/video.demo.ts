import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { DemoNetworks } from '../../lib/demo-networks.ts'
import * as accounts from './accounts.repo.ts'
import type { VideoAccountsService } from './video-accounts.service.ts'
import words from './video-words.json' with { type: 'json' }

/** Connects the demo company to its simulated vendor of cameras: once with an account, then where that listens now. */
export async function connectVideoDemo(
  { database, accounts: service }: { database: Database; accounts: VideoAccountsService },
  ctx: Ctx,
  demo: DemoNetworks,
): Promise<void> {
  const { url: baseUrl, appKey, appSecret } = demo.ezviz
  const simulated = async () => (await service.list(ctx)).items.find(account => account.simulated)
  if (demo.isFirst && !(await simulated()))
    await service.create(ctx, { name: words.zh.demoAccount, appKey, appSecret, baseUrl }, true)
  const account = await simulated()
  // It was removed: it is not made again.
  if (!account) return
  await database.withSystemScope('video', scope => accounts.moveSimulated(scope, ctx.tenantId, baseUrl))
  await service.sync(ctx, account.id)
}
