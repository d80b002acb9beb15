import { randomBytes, type X509Certificate } from 'node:crypto'
import type { BodyOf } from '@thingwright/contracts'
import type { CaView, ChainStep, deviceCasContract } from '@thingwright/contracts/device-identity.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import { isSignedBy, subjectHash } from '../../lib/crypto/client-certificate.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { toCaView } from './certificate-views.ts'
import { testChain } from './chain-test.ts'
import * as repo from './device-cas.repo.ts'
import { checkCa, makeCa, readPem } from './x509.ts'

type Contract = typeof deviceCasContract

export interface DeviceCasDeps {
  database: Database
  gateway: Pick<GatewayPort, 'forget' | 'kick'>
  /** Seals the keys of authorities that are made here. */
  secrets: CryptoBox
}

export interface DeviceCasService {
  list(ctx: Ctx): Promise<{ items: CaView[] }>
  add(ctx: Ctx, input: BodyOf<Contract['add']>): Promise<CaView>
  generate(ctx: Ctx, input: BodyOf<Contract['generate']>): Promise<CaView>
  prove(ctx: Ctx, id: string, certificate: string): Promise<CaView>
  setState(ctx: Ctx, id: string, state: 'active' | 'disabled'): Promise<CaView>
  /** @param serial hex, with or without colons and leading zeros */
  revoke(ctx: Ctx, id: string, serial: string): Promise<CaView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  test(ctx: Ctx, certificate: string): Promise<{ ok: boolean; steps: ChainStep[] }>
}

export const MOST_CAS = 20

/** The context in which the key of an authority is sealed. */
export const caKeyContext = (id: string) => `device-ca:${id}`

/**
 * Certificate authorities of a company. Whoever has one can make any device of the company, so only those who see the
 * whole company handle them.
 */
export function createDeviceCasService({ database, gateway, secrets }: DeviceCasDeps): DeviceCasService {
  async function existing(scope: TenantScope, id: string, lock = false): Promise<repo.CaRow> {
    const row = await repo.findCa(scope, id, lock)
    if (!row) throw new AppError('device_ca.not_found')
    return row
  }

  function onlyWholeCompany(scope: TenantScope): void {
    if (scope.limited) throw new AppError('scope.outside')
  }

  async function store(
    ctx: Ctx,
    action: string,
    name: string,
    certificate: X509Certificate,
    over: Pick<repo.NewCa, 'id' | 'state' | 'proofCode' | 'keyCipher'>,
  ): Promise<CaView> {
    return database.withTenant(ctx, async scope => {
      onlyWholeCompany(scope)
      if ((await repo.countCasForUpdate(scope)) >= MOST_CAS)
        throw new AppError('device_ca.too_many', { params: { limit: MOST_CAS } })
      try {
        await repo.insertCa(scope, {
          ...over,
          name,
          certificate: certificate.toString(),
          subject: certificate.subject,
          subjectHash: subjectHash(certificate),
          fingerprint: certificate.fingerprint256,
          notBefore: new Date(certificate.validFrom),
          notAfter: new Date(certificate.validTo),
        })
      } catch (error) {
        if (isUniqueViolation(error)) throw new AppError('device_ca.known')
        throw error
      }
      const row = await existing(scope, over.id)
      await log(scope, ctx, action, row)
      return toCaView(row, ctx.now)
    })
  }

  async function log(scope: TenantScope, ctx: Ctx, action: string, row: repo.CaRow): Promise<void> {
    const { name, subject, fingerprint, state } = row
    await recordAudit(scope, ctx, {
      action,
      objectType: 'device_ca',
      objectId: row.id,
      objectName: name,
      after: { name, subject, fingerprint, state },
    })
  }

  return {
    list: ctx =>
      database.withTenant(ctx, async scope => ({
        items: (await repo.listCas(scope)).map(row => toCaView(row, ctx.now)),
      })),

    async add(ctx, { name, certificate }) {
      const read = readPem(certificate)
      checkCa(read, ctx.now)
      return store(ctx, 'device_ca.add', name, read, {
        id: newId(ctx.now),
        state: 'unproven',
        proofCode: randomBytes(12).toString('hex'),
        keyCipher: null,
      })
    },

    async generate(ctx, { name, years }) {
      const id = newId(ctx.now)
      const made = await makeCa(name, years, ctx.now)
      return store(ctx, 'device_ca.generate', name, readPem(made.certificate), {
        id,
        state: 'active',
        proofCode: null,
        keyCipher: secrets.seal(made.privateKey, caKeyContext(id)),
      })
    },

    prove: (ctx, id, certificate) =>
      database.withTenant(ctx, async scope => {
        onlyWholeCompany(scope)
        const row = await existing(scope, id, true)
        if (row.state !== 'unproven') throw new AppError('device_ca.proven')
        const proof = readPem(certificate)
        const common = /^CN=(.*)$/m.exec(proof.subject)?.[1]
        if (common !== row.proofCode || !isSignedBy(proof, readPem(row.certificate)))
          throw new AppError('device_ca.proof_wrong')
        await repo.setCaState(scope, id, 'active')
        const after = await existing(scope, id)
        await log(scope, ctx, 'device_ca.prove', after)
        return toCaView(after, ctx.now)
      }),

    setState: (ctx, id, state) =>
      database.withTenant(ctx, async scope => {
        onlyWholeCompany(scope)
        const row = await existing(scope, id, true)
        if (row.state === 'unproven') throw new AppError('device_ca.not_active')
        await repo.setCaState(scope, id, state)
        const after = await existing(scope, id)
        await log(scope, ctx, 'device_ca.state', after)
        const devices = state === 'disabled' ? await repo.devicesOfCa(scope, id) : []
        scope.afterCommit(() => {
          for (const num of devices) gateway.kick(num)
        })
        return toCaView(after, ctx.now)
      }),

    revoke: (ctx, id, serial) =>
      database.withTenant(ctx, async scope => {
        onlyWholeCompany(scope)
        const row = await existing(scope, id, true)
        const device = await repo.revokeSerial(scope, newId(ctx.now), id, serialOf(serial))
        await recordAudit(scope, ctx, {
          action: 'device_ca.revoke',
          objectType: 'device_ca',
          objectId: id,
          objectName: row.name,
          after: { serial: serialOf(serial) },
        })
        // Which device holds a certificate made elsewhere is known at its next sign-in, where it is refused.
        if (device !== null) scope.afterCommit(() => gateway.kick(device))
        return toCaView(await existing(scope, id), ctx.now)
      }),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        onlyWholeCompany(scope)
        const row = await existing(scope, id, true)
        if (row.devices > 0) throw new AppError('device_ca.in_use', { params: { count: row.devices } })
        await repo.deleteCa(scope, id)
        await log(scope, ctx, 'device_ca.remove', row)
        return { ok: true }
      }),

    test: (ctx, certificate) =>
      database.withTenant(ctx, async scope => {
        const steps = await testChain(certificate, ctx.now, {
          authorities: (hash, serial) => repo.authoritiesOf(scope, hash, serial),
          devices: (productKey, deviceNo) => repo.deviceByCertificate(scope, productKey, deviceNo),
        })
        return { ok: steps.every(step => step.ok), steps }
      }),
  }
}

/** As Node and OpenSSL print it: upper case, whole bytes, no leading zeros. */
function serialOf(text: string): string {
  const digits = text.replaceAll(':', '').toUpperCase().replace(/^0+/, '')
  return digits.length % 2 === 1 ? `0${digits}` : digits || '00'
}
