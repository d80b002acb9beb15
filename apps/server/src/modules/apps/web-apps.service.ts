import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type { BodyOf, ParamsOf, ResponseOf } from '@thingwright/contracts'
import { RESERVED_SUFFIXES } from '@thingwright/contracts/apps.words'
import { contrast } from '@thingwright/contracts/contrast'
import type { WebAppView, webAppsContract } from '@thingwright/contracts/web-apps.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { certificateView, checkCertificate } from './certificate.ts'
import type { HostCheck } from './host-check.ts'
import { readImage } from './portal-image.ts'
import * as repo from './web-apps.repo.ts'

type Contract = typeof webAppsContract

export interface WebAppsService {
  list(ctx: Ctx): Promise<{ items: WebAppView[] }>
  /** @throws AppError web_app.exists, web_app.suffix_taken, web_app.suffix_reserved */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<WebAppView>
  /** @throws AppError web_app.host_taken for a host that another company has, and those of what was given */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<WebAppView>
  setImage(ctx: Ctx, params: ParamsOf<Contract['setImage']>, data: string | null): Promise<WebAppView>
  /** @throws AppError web_app.certificate_…, web_app.key_… */
  setCertificate(ctx: Ctx, id: string, input: BodyOf<Contract['setCertificate']>): Promise<WebAppView>
  removeCertificate(ctx: Ctx, id: string): Promise<WebAppView>
  checkHost(ctx: Ctx, id: string): Promise<ResponseOf<Contract['checkHost']>>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export interface WebAppsDeps {
  database: Database
  keys: CryptoBox
  /** Hosts of the installation itself: no portal can have them. */
  ownHosts(): readonly string[]
  /** Base of the address of a host, with the port where it is not the usual one. */
  urlOf(host: string, encrypted: boolean): string
  checkHost: HostCheck
  now(): number
}

/** WCAG 2.2, 1.4.3: white text of buttons on the colour. */
const MIN_CONTRAST = 4.5
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

export function createWebAppsService(deps: WebAppsDeps): WebAppsService {
  const { database } = deps

  async function known(scope: TenantScope, id: string): Promise<repo.WebAppRow> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('web_app.not_found')
    return row
  }

  const toView = (row: repo.WebAppRow): WebAppView => ({
    id: row.id,
    suffix: row.suffix,
    name: row.name,
    nameEn: row.nameEn,
    colour: row.colour,
    copyright: row.copyright,
    icp: row.icp,
    language: row.language,
    menus: row.menus,
    home: row.home,
    host: row.host,
    enabled: row.enabled,
    images: row.images,
    certificate: row.certificate ? certificateView(row.certificate, row.host, deps.now()) : null,
    path: `/w/${row.suffix}`,
    url: row.host ? deps.urlOf(row.host, row.certificate !== null) : null,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  })

  const note = (
    scope: TenantScope,
    ctx: Ctx,
    verb: 'create' | 'update' | 'image' | 'certificate' | 'remove',
    row: repo.WebAppRow,
    values: object,
  ) =>
    recordAudit(scope, ctx, {
      action: `web_app.${verb}`,
      objectType: 'web_app',
      objectId: row.id,
      objectName: row.name,
      ...values,
    })

  /** What is stored of a host that was typed in. @throws AppError web_app.host_invalid, web_app.host_own */
  function hostOf(text: string): string {
    const host = domainToASCII(text.trim().toLowerCase())
    const labels = host.split('.')
    if (host === '' || isIP(host) || labels.length < 2 || !labels.every(label => LABEL.test(label)))
      throw wrong('host', 'web_app.host_invalid')
    if (deps.ownHosts().includes(host)) throw wrong('host', 'web_app.host_own', { host })
    return host
  }

  /** Stores a change and says which of the two addresses is taken. */
  async function store(
    scope: TenantScope,
    before: repo.WebAppRow,
    version: number,
    values: repo.WebAppValues,
  ): Promise<repo.WebAppRow> {
    try {
      if (!(await repo.update(scope, before.id, version, values)))
        throw new AppError('version.conflict', { params: { current: toView(before) } })
    } catch (error) {
      throw taken(error, values) ?? error
    }
    return known(scope, before.id)
  }

  return {
    list: ctx => database.withTenant(ctx, async scope => ({ items: (await repo.list(scope)).map(toView) })),

    async create(ctx, input) {
      checkSuffix(input.suffix)
      try {
        return await database.withTenant(ctx, async scope => {
          const id = newId(ctx.now)
          await repo.insert(scope, id, { ...input, name: input.name.trim() })
          const row = await known(scope, id)
          await note(scope, ctx, 'create', row, { after: shown(row) })
          return toView(row)
        })
      } catch (error) {
        throw taken(error, { ...input, host: null }) ?? error
      }
    },

    update: (ctx, id, { version, ...input }) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        const values: repo.WebAppValues = {
          ...before,
          ...input,
          host: input.host === undefined ? before.host : input.host === null ? null : hostOf(input.host),
        }
        values.name = values.name.trim()
        if (input.suffix !== undefined) checkSuffix(input.suffix)
        checkBrand(values)
        checkMenus(values)
        // A certificate belongs to its host: without one it would be served to nobody.
        if (values.host === null) Object.assign(values, { certificate: null, keyCipher: null })
        const row = await store(scope, before, version, values)
        await note(scope, ctx, 'update', row, { before: shown(before), after: shown(row) })
        return toView(row)
      }),

    setImage: (ctx, { id, kind }, data) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        await repo.setImage(scope, id, kind, data === null ? null : readImage(kind, data))
        const row = await store(scope, before, before.version, before)
        await note(scope, ctx, 'image', row, {
          before: { images: before.images },
          after: { images: row.images, changed: kind },
        })
        return toView(row)
      }),

    setCertificate: (ctx, id, input) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        if (before.host === null) throw new AppError('web_app.host_missing')
        const { certificate, key } = checkCertificate(input, before.host, deps.now())
        const row = await store(scope, before, before.version, {
          ...before,
          certificate,
          keyCipher: deps.keys.seal(key, `web-app:${id}`),
        })
        const view = toView(row)
        await note(scope, ctx, 'certificate', row, {
          after: { certificate: view.certificate?.fingerprint, to: view.certificate?.to },
        })
        return view
      }),

    removeCertificate: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        const row = await store(scope, before, before.version, { ...before, certificate: null, keyCipher: null })
        await note(scope, ctx, 'certificate', row, {
          before: { certificate: toView(before).certificate?.fingerprint ?? null },
          after: { certificate: null },
        })
        return toView(row)
      }),

    async checkHost(ctx, id) {
      const row = await database.withTenant(ctx, scope => known(scope, id))
      if (row.host === null) throw new AppError('web_app.host_missing')
      return deps.checkHost(deps.urlOf(row.host, row.certificate !== null), row.host, row.suffix)
    },

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        await repo.remove(scope, id)
        await note(scope, ctx, 'remove', before, { before: shown(before) })
        return { ok: true }
      }),
  }
}

function checkSuffix(suffix: string): void {
  if ((RESERVED_SUFFIXES as readonly string[]).includes(suffix))
    throw wrong('suffix', 'web_app.suffix_reserved', { suffix })
}

function checkBrand({ colour }: Pick<repo.WebAppValues, 'colour'>): void {
  if (colour === null) return
  const ratio = contrast(colour, '#ffffff')
  if (ratio < MIN_CONTRAST)
    throw wrong('colour', 'web_app.colour_unreadable', { contrast: Math.floor(ratio * 10) / 10, least: MIN_CONTRAST })
}

function checkMenus({ menus, home }: Pick<repo.WebAppValues, 'menus' | 'home'>): void {
  const targets = menus.map(({ section, page }) => (section === 'page' ? `page/${page ?? ''}` : section))
  if (menus.some(({ section, page, zh, en }) => section === 'page' && (!page || !(zh || en)?.trim())))
    throw wrong('menus', 'web_app.menu_page')
  if (new Set(targets).size < targets.length) throw wrong('menus', 'web_app.menu_twice')
  if (!targets.includes(home)) throw wrong('home', 'web_app.home_missing')
}

/** What an index of the database said about a host or a suffix; null: something else went wrong. */
function taken(error: unknown, { suffix, host }: { suffix: string; host: string | null }): AppError | null {
  if (isUniqueViolation(error, 'web_apps_tenant_key')) return new AppError('web_app.exists', { cause: error })
  if (isUniqueViolation(error, 'web_apps_suffix_key')) return wrong('suffix', 'web_app.suffix_taken', { suffix }, error)
  if (isUniqueViolation(error, 'web_apps_host_key')) return wrong('host', 'web_app.host_taken', { host }, error)
  return null
}

function wrong(
  field: string,
  code:
    | 'web_app.suffix_reserved'
    | 'web_app.suffix_taken'
    | 'web_app.host_invalid'
    | 'web_app.host_taken'
    | 'web_app.host_own'
    | 'web_app.colour_unreadable'
    | 'web_app.menu_twice'
    | 'web_app.menu_page'
    | 'web_app.home_missing',
  params: Record<string, unknown> = {},
  cause?: unknown,
): AppError {
  return new AppError(code, { params, fields: { [field]: { code, params } }, ...(cause ? { cause } : {}) })
}

const shown = (row: repo.WebAppRow) => ({
  suffix: row.suffix,
  host: row.host,
  name: row.name,
  nameEn: row.nameEn,
  colour: row.colour,
  copyright: row.copyright,
  icp: row.icp,
  language: row.language,
  menus: row.menus.map(menu => menu.section),
  home: row.home,
  enabled: row.enabled,
})
