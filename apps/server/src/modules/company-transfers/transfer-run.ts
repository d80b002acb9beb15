import type { ErrorCode } from '@thingwright/contracts/errors'
import { recordAudit, recordAudits } from '../../lib/audit.ts'
import { type Ctx, systemContext } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import { openAccessToken, sealAccessToken } from '../../lib/crypto/device-credentials.ts'
import { openDeviceSecret, sealDeviceSecret } from '../../lib/crypto/secrets.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import type { DependentObjects } from '../../lib/dependents.ts'
import { isAppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { searchColumns } from '../devices/index.ts'
import type { RunningTask, TaskResult } from '../tasks/index.ts'
import type { TelemetryModule } from '../telemetry/index.ts'
import type { QuotaGuard } from '../tenants/index.ts'
import * as repo from './company-transfers.repo.ts'
import type { TransferInput } from './company-transfers.service.ts'
import { type AlongDeps, bringTriggers, packTriggers } from './transfer-triggers.ts'

export interface TransferRunDeps extends AlongDeps {
  database: Database
  quotas: QuotaGuard
  gateway: Pick<GatewayPort, 'forget' | 'kick'>
  telemetry: Pick<TelemetryModule, 'moveHistory'>
  /** Of the secrets of devices. */
  secrets: CryptoBox
  dependents(): readonly DependentObjects[]
}

/** Devices of one transaction: a second of work at most, so that nobody waits long for one of them. */
const CHUNK = 100

/**
 * Moves the devices of an accepted offer. Each chunk is one transaction in which every device leaves one company and is in
 * the other; what was moved before the process was killed no longer waits, so the next run goes on behind it.
 */
export function createTransferRun(deps: TransferRunDeps) {
  const { database, secrets } = deps

  async function step(task: RunningTask, transfer: repo.TransferRow): Promise<number> {
    const products = new Map(transfer.products.map(({ id, to }) => [id, to]))
    const { ctx } = task
    return database.withTenant(ctx, async scope => {
      const devices = await repo.waiting(scope, transfer.id, CHUNK)
      if (devices.length === 0) {
        const gone = await repo.failGone(scope, transfer.id)
        for (const device of gone) task.failed(itemOf(device), 'device.not_found')
        return gone.length
      }
      await deps.quotas.hold(scope, 'devices', devices.length)
      const byPlace = new Map(devices.map(device => [device.place, device]))
      const ids = new Map<number, string>()
      const moves = devices.map(device => {
        const id = newId(ctx.now)
        ids.set(device.place, id)
        return { ...copyFor(scope, device, id), product: products.get(device.productId) ?? '' }
      })
      const done = await repo.give(scope, transfer.id, moves)
      for (const { place, outcome } of done)
        if (outcome !== 'moved') task.failed(itemOf(byPlace.get(place)!), outcome as ErrorCode)
      await recordAudits(
        scope,
        ctx,
        done
          .filter(({ outcome }) => outcome === 'moved')
          .map(({ place }) => ({
            action: 'device.arrive',
            objectType: 'device',
            objectId: ids.get(place)!,
            objectName: byPlace.get(place)!.name,
            after: {
              deviceNo: byPlace.get(place)!.deviceNo,
              from: transfer.fromName,
              transferId: transfer.id,
              withHistory: transfer.withHistory,
            },
          })),
      )
      const moved = done.flatMap(({ outcome, newNum, oldNum }) => (outcome === 'moved' ? [{ newNum, oldNum }] : []))
      scope.afterCommit(() => {
        for (const { newNum, oldNum } of moved) {
          deps.gateway.forget({ device: oldNum })
          deps.gateway.kick(oldNum)
          // It may have knocked under its new product before it was there.
          if (newNum !== null) deps.gateway.forget({ device: newNum })
        }
      })
      return done.length
    })
  }

  /** Secrets are sealed for an id; what is searched is hashed for a company. */
  function copyFor(scope: TenantScope, device: repo.CopiedDevice, id: string): Omit<repo.Move, 'product'> {
    const again = (cipher: Buffer) =>
      sealDeviceSecret(secrets, id, openDeviceSecret(secrets, device.id, cipher)).cipher.toString('base64')
    const { searchText, searchGrams } = searchColumns(scope, device)
    return {
      place: device.place,
      newId: id,
      secret: again(device.secret),
      previous: device.previousSecret && again(device.previousSecret),
      token:
        device.token &&
        sealAccessToken(secrets, id, openAccessToken(secrets, device.id, device.token)).toString('base64'),
      text: searchText,
      grams: searchGrams,
    }
  }

  /** What follows a move: history, what stops in the company that gave, both operation logs. Done again after a kill. */
  async function settleMoved(ctx: Ctx, transfer: repo.TransferRow): Promise<void> {
    const giver = systemContext(transfer.tenantId, 'company-transfer')
    for (;;) {
      const items = await database.withTenant(ctx, scope => repo.unsettled(scope, transfer.id, CHUNK))
      if (items.length === 0) return
      if (transfer.withHistory)
        await moveHistoryOf(
          ctx,
          transfer.id,
          items.map(item => item.deviceNum),
        )
      const deviceIds = items.map(item => item.deviceId)
      const from = [...new Set(items.flatMap(({ ownerId }) => ownerId ?? []))]
      await database.withTenant({ tenantId: transfer.tenantId }, async scope => {
        const paused: repo.Paused[] = []
        for (const { kind, ownerChanged } of deps.dependents()) {
          const change = { deviceIds, from, to: null, toPath: [], goesAlong: false, leaves: true }
          paused.push(...(await ownerChanged(scope, giver, change)).map(each => ({ kind, ...each })))
        }
        const listed = new Set((await repo.find(scope, transfer.id))?.paused.map(each => each.id))
        for (const page of await repo.pagesNaming(scope, deviceIds))
          if (!listed.has(page.id)) paused.push({ kind: 'cloud_page', ...page })
        await repo.settle(
          scope,
          transfer.id,
          items.map(item => item.place),
          paused,
        )
        await recordAudits(
          scope,
          giver,
          items.map(item => ({
            action: 'device.leave',
            objectType: 'device',
            objectId: item.deviceId,
            objectName: item.name,
            before: { deviceNo: item.deviceNo },
            after: { to: transfer.toName, transferId: transfer.id, withHistory: transfer.withHistory },
          })),
        )
        scope.tell('rights.changed', { logins: await repo.linesOf(scope, from) })
        scope.tell('owner.changed', { tenantId: transfer.tenantId, deviceIds, to: null })
      })
      for (const item of items) {
        deps.gateway.forget({ device: item.deviceNum })
        deps.gateway.kick(item.deviceNum)
      }
    }
  }

  async function moveHistoryOf(ctx: Pick<Ctx, 'tenantId'>, id: string, nums: readonly number[]): Promise<void> {
    const { devices, properties } = await database.withTenant(ctx, async scope => ({
      devices: await repo.newNumbers(scope, id, nums),
      properties: await repo.renumbering(scope, id, nums),
    }))
    if (devices.length > 0) await deps.telemetry.moveHistory(devices, properties)
  }

  async function finish(task: RunningTask, id: string): Promise<repo.TransferRow> {
    const row = await database.withTenant(task.ctx, async scope => {
      // Of a task that was cancelled: what did not move stays where it is.
      await repo.endItems(scope, id, 'withdrawn')
      await repo.end(scope, id, 'done')
      const ended = (await repo.find(scope, id))!
      await recordAudit(scope, task.ctx, endOf(ended))
      return ended
    })
    await database.withTenant({ tenantId: row.tenantId }, scope =>
      recordAudit(scope, systemContext(row.tenantId, 'company-transfer'), endOf(row)),
    )
    return row
  }

  return {
    moveHistoryOf,
    async run(task: RunningTask): Promise<TaskResult> {
      const { transferId: id } = task.input as TransferInput
      const read = () => database.withTenant(task.ctx, scope => repo.find(scope, id))
      let transfer = await read()
      if (transfer?.state !== 'running') return { summary: {}, nothingDone: true }
      if (transfer.withTriggers && transfer.triggers === null) {
        await packTriggers(deps, transfer)
        transfer = (await read())!
      }
      let done = transfer.moved + transfer.failed
      task.progress(done, transfer.total)
      await settleMoved(task.ctx, transfer)
      while (!task.cancelled()) {
        let count: number
        try {
          count = await step(task, transfer)
        } catch (error) {
          if (!isAppError(error)) throw error
          // The company has no room for more: what is left stays where it is, and says why.
          const { code } = error
          await database.withTenant(task.ctx, scope => repo.endItems(scope, id, 'failed', code))
          task.failed(transfer.fromName, code, error.params)
          break
        }
        if (count === 0) break
        await settleMoved(task.ctx, transfer)
        done += count
        task.progress(done, transfer.total)
      }
      if (transfer.withTriggers) await bringTriggers(deps, task.ctx, transfer)
      const row = await finish(task, id)
      return {
        summary: { transferId: id, total: row.total, done: row.moved, failed: row.failed },
        nothingDone: row.moved === 0,
      }
    },
  }
}

const itemOf = ({ name, deviceNo }: { name: string; deviceNo: string }) => `${name} · ${deviceNo}`

const endOf = (row: repo.TransferRow) => ({
  action: 'company_transfer.end',
  objectType: 'company_transfer',
  objectId: row.id,
  objectName: row.fromName,
  after: { from: row.fromName, to: row.toName, total: row.total, moved: row.moved, failed: row.failed },
})
