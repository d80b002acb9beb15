import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const gate = join(import.meta.dirname, '../../scripts/texts.mjs')

// The gates over texts can fail, and say where.
describe('texts', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-texts-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const put = (files: Record<string, unknown>) => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), typeof text === 'string' ? text : JSON.stringify(text))
    }
  }
  const run = () => {
    const { stdout, status } = spawnSync(process.execPath, [gate, folder], { encoding: 'utf8' })
    return { lines: stdout.trim().split('\n').filter(Boolean).sort(), status }
  }
  const pair = { 'packages/x/locales/zh.json': { a: '是' }, 'packages/x/locales/en.json': { a: 'yes' } }

  it('that are Chinese in code are named with their line; in comments, tests and locales they are not', () => {
    put({
      ...pair,
      'apps/web/src/page.tsx': "// 设备\nexport const a = 1\nexport const b = '设备'\n",
      'packages/x/src/a.ts': "/** 设备 */\nexport const card = () => ['台']\n",
      'tools/a.test.ts': "export const a = '设备'\n",
    })
    expect(run()).toEqual({
      lines: [
        "apps/web/src/page.tsx:3: export const b = '设备'",
        "packages/x/src/a.ts:2: export const card = () => ['台']",
      ],
      status: 1,
    })
  })

  it('stand in both languages, with the same places to fill', () => {
    put({
      'apps/web/src/a.ts': 'export const a = 1\n',
      'apps/web/locales/zh.json': { deep: { both: '是', zhOnly: '甲' }, named: '{{name}} 好', rows_other: '{{n}} 行' },
      'apps/web/locales/en.json': { deep: { both: '是' }, named: 'hello {{who}}', rows_one: 'a row', enOnly: 'b' },
      'packages/x/locales/zh.json': {},
      'packages/y/locales/en.json': {},
    })
    expect(run()).toEqual({
      lines: [
        'apps/web/locales: deep.both is Chinese in en.json',
        'apps/web/locales: deep.zhOnly only in zh',
        'apps/web/locales: enOnly only in en',
        'apps/web/locales: named has other placeholders in en',
        'packages/x/locales: no en.json',
        'packages/y/locales: no zh.json',
      ],
      status: 1,
    })
  })

  it('that the server sends in Chinese have full-width signs, which patterns and English need not', () => {
    put({
      ...pair,
      'apps/web/src/a.ts': 'export const a = 1\n',
      'apps/server/src/modules/x/mail-texts.json': {
        hello: { zh: '您好,请看：{link}', en: 'Hello, see {link}' },
        code: { zh: '验证码 {code},{minutes} 分钟内有效', en: '{code},{minutes}' },
        fine: { zh: '您好，{name}：12:30 到 3,000 台，地址 http://x', en: '' },
      },
      'apps/server/src/adapters/y/y-words.json': { zh: { deep: '已停止:{name}' }, pattern: { zh: '(?:开|关),好' } },
      'apps/server/src/modules/x/x.tools.json': { phrases: { zh: '{state:在线=online}' } },
    })
    expect(run()).toEqual({
      lines: [
        'apps/server/src/adapters/y/y-words.json: zh.deep has a half-width sign: 止:',
        'apps/server/src/modules/x/mail-texts.json: code.zh has a half-width sign: },{',
        'apps/server/src/modules/x/mail-texts.json: hello.zh has a half-width sign: 好,',
      ],
      status: 1,
    })
  })

  it('are looked for: a tree without any is a fault, and one in order is none', () => {
    expect(run()).toEqual({ lines: ['no locale files were found', 'no source files were found'], status: 1 })
    put({ ...pair, 'apps/web/src/a.ts': 'export const a = 1\n' })
    expect(run()).toEqual({ lines: [], status: 0 })
  })
})
