import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const gate = join(import.meta.dirname, '../../scripts/attribute-texts.mjs')

/** Each line has the text that is wrong with it behind it. */
const PLANTED = `
export const A = () => <p title="Save" /> // title: Save
export const B = () => <p aria-label={'close it'} /> // aria-label: close it
export const C = () => <img alt={on ? 'A pump' : t('pump')} /> // alt: A pump
export const D = () => <p title={\`\${n} devices\`} /> // title: … devices
export const E = () => <input placeholder="Type a name" /> // placeholder: Type a name
export const F = () => <Pick label={t('x') || 'none'} /> // label: none
export const G = [{ title: 'Name' }] // title: Name
export const H = { okText: '好的' } // okText: 好的
`
const RIGHT = `
export const A = () => <p title={t('save')} className="title" id="save" data-title="Save" />
export const B = () => <p aria-label={\`\${t('a')}: \${n} %\`} title="" />
export const C = () => <input placeholder="PRODUCT/DEVICE" name="title" />
export const D = () => <Pick label="QoS" />
export const E = [{ title: t('name') }, { label: 'propertyPost', name: 'Some name' }]
export const F = () => <p title={kind === 'pump' ? t('a') : t('b')} />
`

// The gate over texts of attributes and settings can fail, and says where.
describe('texts in attributes', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-attributes-'))
    mkdirSync(join(folder, 'src'))
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { target: 'es2022', module: 'esnext', jsx: 'preserve', types: [] } }),
    )
    for (const [name, text] of Object.entries({ planted: PLANTED, right: RIGHT, 'planted.test': PLANTED }))
      writeFileSync(join(folder, `src/${name}.tsx`), text)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('are named with their attribute; keys, examples, names and what nobody reads are not', () => {
    const { stdout, status } = spawnSync(process.execPath, [gate, folder], { encoding: 'utf8' })
    const planted = PLANTED.split('\n').flatMap((line, at) => {
      const [, name, text] = / \/\/ ([\w-]+): (.+)$/.exec(line) ?? []
      return name ? [`src/planted.tsx:${at + 1}: ${name} is "${text}"; texts stand in locale files`] : []
    })
    expect({ found: stdout.trim().split('\n'), status }).toEqual({ found: planted, status: 1 })
  })
})
