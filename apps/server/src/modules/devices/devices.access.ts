import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { part, sql } from '../../lib/sql/statement.ts'
import { productDirectory } from '../products/products.views.ts'
import { type AuthorisedDevice, type AuthorisedDeviceIds, brandAuthorised } from './authorised.port.ts'

const AUTHORISED = part`select d.id, d.num, d.tenant_id as "tenantId", d.name, d.device_no as "deviceNo",
    d.product_id as "productId", d.product_num as "productNum", o.product_key as "productKey", d.lifecycle,
    case when scope_user() is not null then ceil(extract(epoch from d.history_from) * 1000)::bigint end as "historyFrom"
  from devices d join ${productDirectory} o on o.id = d.product_id`
const ONE = {
  name: 'authorised_device',
  types: ['uuid'],
  statement: sql<Omit<AuthorisedDevice, 'ids'>>`${AUTHORISED} where d.id = $1`,
}

/**
 * Which devices the caller's company may touch: ids in, branded numbers out, everything else refused. The policy of the
 * transaction decides. Telemetry, journal and latest values of a device are read only with what this returns.
 * @throws AppError device.not_found also for another company's device
 */
export async function authoriseDevice(scope: TenantScope, id: string): Promise<AuthorisedDevice> {
  const { rows } = await scope.run(ONE.statement, [id])
  const row = rows[0]
  if (!row) throw new AppError('device.not_found')
  return { ...row, ids: brandAuthorised([row.num]) }
}

/** The same for a request that asks nothing else of the company's tables. */
export async function readAuthorisedDevice(
  database: Pick<Database, 'read'>,
  ctx: Ctx,
  id: string,
): Promise<AuthorisedDevice> {
  const row = (await database.read(ctx, ONE, [id]))[0]
  if (!row) throw new AppError('device.not_found')
  return { ...row, ids: brandAuthorised([row.num]) }
}

const AUTHORISE_DEVICES = sql<Omit<AuthorisedDevice, 'ids'>>`${AUTHORISED} where d.id = any ($1::uuid[])`

/** The company's own among the ids, in no promised order; the others are left out. */
export async function authoriseDevices(
  scope: TenantScope,
  ids: readonly string[],
): Promise<{ devices: AuthorisedDevice[]; ids: AuthorisedDeviceIds }> {
  if (ids.length === 0) return { devices: [], ids: brandAuthorised([]) }
  const { rows } = await scope.run(AUTHORISE_DEVICES, [ids])
  const devices = rows.map(row => ({ ...row, ids: brandAuthorised([row.num]) }))
  return { devices, ids: brandAuthorised(devices.map(device => device.num)) }
}
