import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { DeviceCertificateView, deviceIdentityContract } from '@thingwright/contracts/device-identity.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { toCertificateView } from './certificate-views.ts'
import * as repo from './device-cas.repo.ts'
import { caKeyContext } from './device-cas.service.ts'
import { findDeviceIdentity } from './device-identity.repo.ts'
import { makeDeviceCertificate, readPem } from './x509.ts'

type Contract = typeof deviceIdentityContract

export interface DeviceCertificatesDeps {
  database: Database
  gateway: Pick<GatewayPort, 'kick'>
  /** Opens the keys of authorities. */
  secrets: CryptoBox
}

export interface DeviceCertificatesService {
  issue(
    ctx: Ctx,
    deviceId: string,
    input: BodyOf<Contract['issueCertificate']>,
  ): Promise<ResponseOf<Contract['issueCertificate']>>
  revoke(ctx: Ctx, deviceId: string, id: string): Promise<DeviceCertificateView>
}

const DAY_MS = 86_400_000

/** Client certificates of devices, made with the company's own authorities. */
export function createDeviceCertificatesService({
  database,
  gateway,
  secrets,
}: DeviceCertificatesDeps): DeviceCertificatesService {
  return {
    issue: (ctx, deviceId, { caId, days }) =>
      database.withTenant(ctx, async scope => {
        const device = await findDeviceIdentity(scope, deviceId)
        if (!device) throw new AppError('device.not_found')
        const ca = await repo.findCa(scope, caId)
        if (!ca) throw new AppError('device_ca.not_found')
        if (ca.state !== 'active') throw new AppError('device_ca.not_active')
        const key = await repo.keyOfCa(scope, caId)
        if (!key) throw new AppError('device_ca.no_key')
        const notAfter = new Date(ctx.now + days * DAY_MS)
        if (notAfter > ca.notAfter) throw new AppError('device_certificate.too_long')
        const authority = {
          certificate: ca.certificate,
          privateKey: secrets.open(key, caKeyContext(caId)).toString('utf8'),
        }
        const made = await makeDeviceCertificate(authority, device, ctx.now, notAfter)
        const read = readPem(made.certificate)
        const id = newId(ctx.now)
        await repo.insertCertificate(scope, {
          id,
          caId,
          deviceId,
          serial: read.serialNumber,
          subject: read.subject,
          fingerprint: read.fingerprint256,
          notBefore: new Date(read.validFrom),
          notAfter: new Date(read.validTo),
        })
        await recordAudit(scope, ctx, {
          action: 'device.issue_certificate',
          objectType: 'device',
          objectId: deviceId,
          objectName: device.name,
          after: { serial: read.serialNumber, ca: ca.name, notAfter: notAfter.toISOString() },
        })
        const row = await repo.findCertificate(scope, deviceId, id)
        return {
          certificate: toCertificateView(row!, ctx.now),
          pem: made.certificate,
          privateKey: made.privateKey,
          caPem: ca.certificate,
        }
      }),

    revoke: (ctx, deviceId, id) =>
      database.withTenant(ctx, async scope => {
        const device = await findDeviceIdentity(scope, deviceId)
        if (!device) throw new AppError('device.not_found')
        const before = await repo.findCertificate(scope, deviceId, id)
        if (!before) throw new AppError('device_certificate.not_found')
        await repo.revokeCertificate(scope, id)
        await recordAudit(scope, ctx, {
          action: 'device.revoke_certificate',
          objectType: 'device',
          objectId: deviceId,
          objectName: device.name,
          after: { serial: before.serial },
        })
        // Ends the session that was opened with this certificate; the device may sign in with another credential.
        scope.afterCommit(() => gateway.kick(device.num))
        return toCertificateView({ ...before, state: 'revoked' }, ctx.now)
      }),
  }
}
