import type { Permission } from '@thingwright/contracts/permissions'
import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { newId } from '../../lib/ids.ts'
import { hashPassword } from '../../modules/identity/index.ts'
import type { Container } from '../container.ts'
import type { ContainerOptions } from '../container-options.ts'
import { testContainer, testHttp } from './test-app.ts'

const PASSWORD = 'A password 4 tests'

export interface Answer<T = Record<string, unknown>> {
  status: number
  text: string
  body: T & { code?: string }
  bytes: Buffer
}

/** Somebody with a role of his own, which a test may take from. */
export interface NarrowMember {
  token: string
  loginId: string
  roleId: string
}

/** A company over HTTP with two groups and two products, a device in each place, and members who may little. */
export interface NarrowCompany {
  db: TestDatabase
  container: Container
  app: FastifyInstance
  tenantId: string
  owner: string
  groups: { inside: string; outside: string }
  products: { inside: string; outside: string }
  call<T = Record<string, unknown>>(method: string, path: string, token: string, body?: unknown): Promise<Answer<T>>
  upload<T = Record<string, unknown>>(
    path: string,
    token: string,
    name: string,
    bytes: Buffer,
    fields?: Record<string, string>,
  ): Promise<Answer<T>>
  member(permissions: readonly Permission[], dataScope?: object): Promise<NarrowMember>
  /** From now on he holds these rights and sees this. */
  become(member: NarrowMember, permissions: readonly Permission[], dataScope: object): Promise<void>
  /** He confirms that it is he. */
  prove(token: string): Promise<void>
  /** Four devices, one of each product in each group; by `product/group`. */
  fleet(): Promise<Fleet>
  stop(): Promise<void>
}

export const PLACES = ['inside/inside', 'inside/outside', 'outside/inside', 'outside/outside'] as const
export type Fleet = Record<(typeof PLACES)[number], { id: string; deviceNo: string }>

export async function narrowCompany(over: Partial<ContainerOptions> = {}): Promise<NarrowCompany> {
  const db = await testDatabase()
  const container = testContainer(db, over)
  const app = await testHttp(container)
  const passwordHash = await hashPassword(PASSWORD)
  const tenantId = await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name: 'c', owner: { username: 'owner', passwordHash, displayName: '', kind: 'member' } }),
  )

  async function signIn(username: string): Promise<string> {
    const reply = await app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }).toString(),
    })
    return reply.json().access_token
  }
  const owner = await signIn('owner')

  async function send<T>(method: string, path: string, token: string, payload?: object | Buffer, type?: string) {
    const reply = await app.inject({
      method: method as 'GET',
      url: path.startsWith('/api') ? path : `/api/v1${path}`,
      headers: { authorization: `Bearer ${token}`, ...(type ? { 'content-type': type } : {}) },
      ...(payload === undefined ? {} : { payload }),
    })
    const isJson = String(reply.headers['content-type']).startsWith('application/json')
    const body = (isJson ? reply.json() : {}) as T & { code?: string }
    return { status: reply.statusCode, text: reply.body, body, bytes: reply.rawPayload }
  }
  const call = <T>(method: string, path: string, token: string, body?: unknown) =>
    send<T>(method, path, token, body as object | undefined)
  const upload = <T>(path: string, token: string, name: string, bytes: Buffer, fields: Record<string, string> = {}) => {
    const parts = Object.entries(fields).map(
      ([key, value]) => `--edge\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
    )
    const head = `${parts.join('')}--edge\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n`
    const payload = Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--edge--\r\n')])
    return send<T>('POST', path, token, payload, 'multipart/form-data; boundary=edge')
  }
  const made = async (path: string, body: object) => {
    const reply = await call<{ id: string; deviceNo: string }>('POST', path, owner, body)
    expect(reply.status, `${path}: ${reply.text}`).toBe(201)
    return reply.body
  }

  const group = async (name: string) => (await made('/groups', { kind: 'device', name })).id
  const product = async (name: string) => {
    const thingModel = {
      properties: [{ identifier: 'temperature', name: 'Temperature', dataType: { type: 'double' }, access: 'rw' }],
    }
    return (await made('/products', { name, linkType: 'mqtt', thingModel })).id
  }
  const groups = { inside: await group('inside group'), outside: await group('outside group') }
  const products = { inside: await product('inside product'), outside: await product('outside product') }

  return {
    db,
    container,
    app,
    tenantId,
    owner,
    groups,
    products,
    call,
    upload,
    async member(permissions, dataScope = { kind: 'groups', groupIds: [groups.inside] }) {
      const [loginId, roleId] = [newId(), newId()]
      await db.superuser.query(
        `insert into logins (id, tenant_id, kind, username, password_hash)
         select $1, $2, 'member', $3, password_hash from logins where username = 'owner'`,
        [loginId, tenantId, `m-${loginId}`],
      )
      await db.superuser.query(
        `insert into roles (id, tenant_id, key, name, permissions, menu_keys, data_scope) values ($1, $2, $3, $3, $4, '{*}', $5)`,
        [roleId, tenantId, `r-${roleId}`, permissions, JSON.stringify(dataScope)],
      )
      await db.superuser.query('insert into login_roles (login_id, role_id, tenant_id) values ($1, $2, $3)', [
        loginId,
        roleId,
        tenantId,
      ])
      return { token: await signIn(`m-${loginId}`), loginId, roleId }
    },
    async become({ loginId, roleId }, permissions, dataScope) {
      await db.superuser.query('update roles set permissions = $2, data_scope = $3 where id = $1', [
        roleId,
        permissions,
        JSON.stringify(dataScope),
      ])
      container.identity.forget(loginId)
    },
    async prove(token) {
      const reply = await call('POST', '/security/proof', token, { method: 'password', password: PASSWORD })
      expect(reply.status, reply.text).toBeLessThan(300)
    },
    async fleet() {
      const fleet: Partial<Fleet> = {}
      for (const place of PLACES) {
        const [of, within] = place.split('/') as ['inside' | 'outside', 'inside' | 'outside']
        const deviceNo = `n-${newId().slice(-12)}`
        const { id } = await made('/devices', {
          productId: products[of],
          groupId: groups[within],
          name: `${place} ${deviceNo}`,
          deviceNo,
        })
        fleet[place] = { id, deviceNo }
      }
      return fleet as Fleet
    },
    async stop() {
      await container.tasks.runner.stop()
      await app.close()
      await db.drop()
    },
  }
}
