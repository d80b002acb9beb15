import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const gate = join(import.meta.dirname, '../../scripts/words.mjs')

// The gate over words can fail, and says where and of what kind.
describe('words', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-words-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const run = (files: Record<string, object>, ...more: string[]) => {
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), JSON.stringify(content, null, 2))
    }
    const { stdout, status } = spawnSync(process.execPath, [gate, folder, ...more], { encoding: 'utf8' })
    return { lines: stdout.trim().split('\n').filter(Boolean), status }
  }
  const kinds = (lines: string[]) => lines.map(line => line.split(': ').slice(1, 3).join(' '))

  it('in Chinese are held against signs, spaces, names and tone', () => {
    const { lines, status } = run({
      'apps/web/locales/zh.json': {
        comma: '已保存,请刷新',
        bracket: '时间(秒）',
        space: '共{{count}}台',
        beside: '完成 ，继续',
        person: '通知你',
        bang: '好！',
        slang: '端口打不开',
        name: '产品密钥',
        fine: '共 {{count}} 台，产品标识 (ProductKey) 在 12:30 前有效：80%，`a,b` 与 https://x.cn/a?b=c',
      },
    })
    expect(kinds(lines)).toEqual([
      'comma half-width sign',
      'bracket half-width bracket',
      'space no space between Chinese and Latin',
      'beside space beside a full-width sign',
      'person who reads it',
      'bang exclamation mark',
      'slang slang',
      'name other name',
    ])
    expect(status).toBe(1)
  })

  it('in English are held against riddles, quotes, units and halves of plurals', () => {
    const { lines } = run({
      'packages/x/locales/en.json': {
        apostrophe: "the device's name",
        bracket: '{{count}} problem(s)',
        id: 'Request id',
        empty: 'Empty: no limit',
        none: 'No such device',
        riddle: 'Nobody waits',
        name: 'The right is missing',
        quote: 'Edit "{{name}}"',
        dots: 'Loading...',
        blank: 'two  blanks',
        unit: 'after 10s',
        percent: '80 %',
        range: '1-64',
        deep: { title: 'Devices.' },
        rows_one: '{{n}} row',
        fine: 'Don’t edit “{{id}}” on 2026-11-01, for 10 s',
      },
    })
    expect(kinds(lines)).toEqual([
      'apostrophe straight apostrophe',
      'bracket plural in brackets',
      'id ID in small letters',
      'empty empty as a label',
      'none empty sentence',
      'riddle riddle',
      'name other name',
      'quote straight quote',
      'dots three dots',
      'blank stray space',
      'unit unit without a space',
      'percent space before %',
      'range range with a hyphen',
      'deep.title full stop on a label',
      'rows_one no rows_other',
    ])
  })

  it('of the server are looked at by their language, patterns are not', () => {
    const { lines } = run({
      'apps/server/src/modules/x/x-words.json': {
        a: { zh: '运营者', en: 'the maker' },
        pattern: { zh: '(?:你|我),好' },
      },
    })
    expect(kinds(lines)).toEqual(['a.zh other name', 'a.en riddle'])
  })

  it('of the specification stay, and so does what is listed; what is listed for nothing is a fault', () => {
    const file = 'apps/web/locales/zh.json'
    const list = (more: object) => ({
      'scripts/words-exempt.json': { specification: ['您还未登录!'], texts: [], ...more },
    })
    const texts = { signIn: '您还未登录!', code: '写作 a:值' }
    const code = { file, key: 'code', what: 'half-width sign', why: 'code' }
    expect(run({ [file]: texts, ...list({ texts: [code] }) })).toEqual({ lines: [], status: 0 })
    expect(run(list({})).lines).toEqual([`${file}: code: half-width sign: 写作 a:值`])
    const { lines } = run({ [file]: { fine: '好' }, ...list({ texts: [code] }) })
    expect(lines).toEqual([
      'words-exempt.json: not needed: 您还未登录!',
      `words-exempt.json: not needed: ${file} code half-width sign`,
    ])
  })

  it('are looked at where they are new: on a branch what it adds, committed or not', () => {
    const file = 'apps/web/locales/zh.json'
    run({ [file]: { old: '通知你' } })
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=nobody', '-c', 'user.email=nobody@localhost', ...args], { cwd: folder })
    git('init', '-q', '-b', 'main')
    git('add', '-A')
    git('commit', '-qm', 'before')
    const found = () => run({}, '--new').lines
    expect(found()).toEqual([])
    git('checkout', '-qb', 'branch')
    run({ [file]: { old: '通知你', later: '告诉你' } })
    git('commit', '-qam', 'later')
    expect(found()).toEqual([`${file}: later: who reads it: 告诉你`])
    run({ 'apps/web/other/locales/zh.json': { fresh: '提醒你' } })
    expect(found()).toContain('apps/web/other/locales/zh.json: fresh: who reads it: 提醒你')
  })

  it('are looked for: a tree without any is a fault', () => {
    expect(run({})).toEqual({ lines: ['no texts were found'], status: 1 })
  })
})
