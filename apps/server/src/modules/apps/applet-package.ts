import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { strToU8, zipSync } from 'fflate'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { StreamReply } from '../../lib/http.ts'
import * as repo from './applets.repo.ts'
import * as webApps from './web-apps.repo.ts'

export interface AppletPackages {
  /** The source of the mini-program for a company, as a zip. @throws AppError wechat_applet.not_found, portal.not_found */
  of(ctx: Ctx, id: string): Promise<StreamReply>
}

/** What is filled in. */
export interface PackageFacts {
  appId: string
  server: string
  portal: string
  name: string
  colour: string | null
}

type Json = Record<string, unknown>

export function createAppletPackages(deps: { database: Database; addresses(): { httpUrl: string } }): AppletPackages {
  return {
    async of(ctx, id) {
      const { applet, portal } = await deps.database.withTenant(ctx, async scope => ({
        applet: await repo.find(scope, id),
        portal: (await webApps.list(scope))[0],
      }))
      if (!applet?.appId) throw new AppError('wechat_applet.not_found')
      if (!portal) throw new AppError('portal.not_found')
      const files = await appletFiles({
        appId: applet.appId,
        server: deps.addresses().httpUrl,
        portal: portal.suffix,
        name: portal.name,
        colour: portal.colour,
      })
      const zip = zipSync(Object.fromEntries([...files].map(([name, text]) => [name, strToU8(text)])))
      return new StreamReply(Readable.from([Buffer.from(zip)]), 'application/octet-stream')
    },
  }
}

/** Files of the mini-program by their paths, with everything filled in. */
export async function appletFiles(facts: PackageFacts): Promise<Map<string, string>> {
  const files = await sources()
  const json = (name: string): Json => JSON.parse(files.get(name)!) as Json
  const put = (name: string, value: unknown) => files.set(name, `${JSON.stringify(value, null, 2)}\n`)
  const locales = { zh: json('locales/zh.json'), en: json('locales/en.json') }
  const app = json('app.json')
  const window = app.window as Json
  const tabBar = app.tabBar as Json & { list: { pagePath: string; text: string }[] }
  put('app.json', {
    ...app,
    window: {
      ...window,
      navigationBarTitleText: facts.name,
      ...(facts.colour ? { navigationBarBackgroundColor: facts.colour } : {}),
    },
    tabBar: {
      ...tabBar,
      ...(facts.colour ? { selectedColor: facts.colour } : {}),
      // Until the program knows the language of the person.
      list: tabBar.list.map(tab => ({ ...tab, text: locales.zh[tab.text] })),
    },
  })
  const at = { server: facts.server, portal: facts.portal }
  put('project.config.json', { ...json('project.config.json'), appid: facts.appId, projectname: facts.name })
  // Only of a template for many companies is it read.
  put('ext.json', { ...json('ext.json'), extEnable: false, extAppid: facts.appId, ext: at })
  files.set('config.js', `module.exports = ${JSON.stringify(at)}\n`)
  files.set('locales.js', `module.exports = ${JSON.stringify(locales)}\n`)
  for (const name of ['locales/zh.json', 'locales/en.json']) files.delete(name)
  return files
}

/** Beside the program in dist/ (scripts/build.mjs copies it), else in the sources. */
async function sources(): Promise<Map<string, string>> {
  const here = dirname(fileURLToPath(import.meta.url))
  const folder = [join(here, 'applet'), join(here, '../../../../applet/source')].find(existsSync)
  if (!folder) throw new Error(`the mini-program is not beside ${here}`)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Map<string, string>()
  for (const entry of entries.filter(each => each.isFile())) {
    const path = join(entry.parentPath, entry.name)
    files.set(relative(folder, path).replaceAll('\\', '/'), await readFile(path, 'utf8'))
  }
  return files
}
