import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import type { PortalImage } from '@thingwright/contracts/apps.words'
import type { PortalView } from '@thingwright/contracts/web-apps.contract'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { type HttpInfo, StreamReply } from '../../lib/http.ts'
import * as repo from './web-apps.repo.ts'

/** Portals as anybody who opens their address sees them. */
export interface Portals {
  /** @throws AppError portal.not_found on every host that is no portal's */
  here(host: string | undefined): Promise<PortalView>
  /** @throws AppError portal.not_found: none, switched off, or asked for on a host that is not its own */
  get(suffix: string, host: string | undefined): Promise<PortalView>
  image(suffix: string, kind: PortalImage, http: Pick<HttpInfo, 'headers' | 'setHeader'>): Promise<StreamReply>
  manifest(suffix: string, host: string | undefined): Promise<StreamReply>
  /** The portal's suffix on its own host; null on every other host. */
  suffixOf(host: string | undefined): Promise<string | null>
}

export interface PortalsDeps {
  database: Database
  /** Hosts of the installation itself; empty: none is configured, and every host that is no portal's is its own. */
  ownHosts(): readonly string[]
}

export function createPortals({ database, ownHosts }: PortalsDeps): Portals {
  const read = <T>(work: Parameters<typeof database.withSystemScope<T>>[1]) => database.withSystemScope('apps', work)

  async function find(suffix: string, host: string | undefined): Promise<repo.PortalRow> {
    const name = hostIn(host)
    const row = await read(async scope => {
      const found = await repo.ofSuffix(scope, suffix)
      if (!found || name === null || found.host === name) return found
      // The host of another portal, or an unknown one, shows nothing of this company.
      if (await repo.ofHost(scope, name)) return undefined
      return isOwn(name, ownHosts()) ? found : undefined
    })
    if (!row) throw new AppError('portal.not_found')
    return row
  }

  return {
    async here(host) {
      const name = hostIn(host)
      const row = name === null ? undefined : await read(scope => repo.ofHost(scope, name))
      if (!row) throw new AppError('portal.not_found')
      return toView(row)
    },

    get: async (suffix, host) => toView(await find(suffix, host)),

    async image(suffix, kind, { headers, setHeader }) {
      const row = await find(suffix, headers.host as string | undefined)
      const image = await read(scope => repo.image(scope, row.id, kind))
      if (!image) throw new AppError('portal.not_found')
      // A drawing opened by itself runs nothing.
      setHeader('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
      setHeader('cache-control', 'public, max-age=3600')
      return new StreamReply(Readable.from([image.bytes]), image.type)
    },

    async manifest(suffix, host) {
      const row = await find(suffix, host)
      const view = toView(row)
      const icon = row.images.includes('favicon') ? 'favicon' : row.images.includes('logo') ? 'logo' : null
      const src = icon ? `/api/v1/public/portals/${row.suffix}/images/${icon}?v=${view.stamp}` : '/favicon.svg'
      const manifest = {
        name: row.name,
        short_name: [...row.name].slice(0, 12).join(''),
        id: `/w/${row.suffix}`,
        start_url: `/w/${row.suffix}`,
        scope: `/w/${row.suffix}`,
        display: 'standalone',
        theme_color: row.colour ?? '#1677ff',
        background_color: '#ffffff',
        icons: [{ src, sizes: 'any', purpose: 'any' }],
      }
      return new StreamReply(Readable.from([JSON.stringify(manifest)]), 'application/manifest+json')
    },

    async suffixOf(host) {
      const name = hostIn(host)
      if (name === null || isIP(name)) return null
      return (await read(scope => repo.ofHost(scope, name)))?.suffix ?? null
    },
  }
}

/** The name in a Host header, without port; null: there is none that can be read. */
export function hostIn(header: string | undefined): string | null {
  const name = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i.exec((header ?? '').trim().toLowerCase())
  return name ? (name[1] ?? name[2] ?? null)?.replace(/\.$/, '') || null : null
}

/** An address of this machine, or a configured host. Where none is configured, every host is the installation's own. */
function isOwn(name: string, hosts: readonly string[]): boolean {
  return isIP(name) !== 0 || name === 'localhost' || hosts.length === 0 || hosts.includes(name)
}

function toView(row: repo.PortalRow): PortalView {
  return {
    suffix: row.suffix,
    appId: row.appId,
    name: row.name,
    nameEn: row.nameEn,
    colour: row.colour,
    copyright: row.copyright,
    icp: row.icp,
    language: row.language,
    menus: row.menus,
    home: row.home,
    images: row.images,
    stamp: String(row.version),
  }
}
