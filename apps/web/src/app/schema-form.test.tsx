// @vitest-environment happy-dom
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../lib/api-client.ts'
import { changeLocale, loadTexts, startI18n } from '../lib/i18n.ts'
import { registerAllTexts } from '../texts.ts'
import type { Field, Values } from '../ui/schema-form/field.ts'
import { SchemaForm } from '../ui/schema-form/schema-form.tsx'
import { type SchemaFormState, useSchemaForm } from '../ui/schema-form/use-schema-form.ts'
import { fill, named, press } from './testing/hands.ts'

let root: Root | undefined
beforeAll(async () => {
  registerAllTexts()
  await startI18n('en')
  await loadTexts('common', 'schema-form')
})
afterEach(() => {
  root?.unmount()
  document.body.innerHTML = ''
})

/** Draws a form and hands out its state as it is now. */
function draw(fields: readonly Field[], initial: Values = {}): () => SchemaFormState {
  let form!: SchemaFormState
  const Form = () => {
    form = useSchemaForm(fields, initial)
    return <SchemaForm form={form} />
  }
  root = createRoot(document.body.appendChild(document.createElement('div')))
  root.render(<Form />)
  return () => form
}

/** The control under a label, once it is drawn: some kinds are loaded when a form has them. */
async function control(label: string): Promise<HTMLElement> {
  const found = () => named(new RegExp(`^${label}`), 'input, textarea, [role="switch"], [role="combobox"]')
  await expect.poll(found).not.toBeNull()
  return found() as HTMLElement
}
const type = async (label: string, text: string) => fill(await control(label), text)
const complaints = () => [...document.querySelectorAll('[role="alert"]')].map(alert => alert.textContent)

/** A field of each kind that is typed: what is typed, and what is sent of it. */
const TYPED: [field: Field, text: string, sent: unknown][] = [
  [{ kind: 'string', key: 'string', label: 'Text' }, '  Boiler ', 'Boiler'],
  [{ kind: 'string', key: 'secret', label: 'Secret', secret: true, keepSpaces: true }, ' s3cret ', ' s3cret '],
  [{ kind: 'string', key: 'rows', label: 'Rows', rows: 3 }, 'one\ntwo', 'one\ntwo'],
  [{ kind: 'number', key: 'number', label: 'Number', unit: '°C' }, '21.50', 21.5],
  [{ kind: 'int64', key: 'int64', label: 'Long' }, '9223372036854775807', '9223372036854775807'],
  [{ kind: 'color', key: 'color', label: 'Colour' }, '#12AB9f', '#12AB9f'],
  [{ kind: 'json', key: 'json', label: 'JSON' }, '{"a": [1, null]}', { a: [1, null] }],
  [{ kind: 'bytes', key: 'bytes', label: 'Bytes' }, '0a FF', '0aFF'],
  [{ kind: 'file', key: 'file', label: 'File' }, '/api/v1/media/1', '/api/v1/media/1'],
  [{ kind: 'duration', key: 'duration', label: 'Length' }, '1.5', 90],
]

describe('a field of a form', () => {
  it.each(TYPED)('takes what is typed: $kind $key', async (field, text, sent) => {
    const form = draw([field])
    await type(field.label, text)
    await expect.poll(() => form().dirty).toBe(true)
    expect(form().submit()).toEqual({ [field.key]: sent })
    expect(complaints()).toEqual([])
  })

  it('with a shape cuts nothing off that is pasted: a number without its end is another number', async () => {
    draw([
      { kind: 'string', key: 'iccid', label: 'ICCID', maxLength: 20, pattern: /^[0-9A-F]{19,20}$/ },
      { kind: 'string', key: 'name', label: 'Name', maxLength: 64 },
    ])
    expect((await control('ICCID')).getAttribute('maxlength')).toBeNull()
    expect((await control('Name')).getAttribute('maxlength')).toBe('64')
  })

  it('of two words is a switch, which is sent when it was moved', async () => {
    const form = draw([{ kind: 'bool', key: 'on', label: 'Heating' }], { on: false })
    press(await control('Heating'))
    await expect.poll(() => form().submit()).toEqual({ on: true })
  })

  it('of several choices shows them with their help, and sends the one that was taken', async () => {
    const options = [
      { value: 'auto', label: 'By itself', help: 'Follows the plan' },
      { value: 'hand', label: 'By hand' },
    ]
    const form = draw([{ kind: 'enum', key: 'mode', label: 'Mode', display: 'cards', options }], { mode: 'auto' })
    await expect.poll(() => document.body.textContent).toContain('Follows the plan')
    press([...document.querySelectorAll('input')].at(1) ?? null)
    await expect.poll(() => form().submit()).toEqual({ mode: 'hand' })
  })

  it('of a list to drop down, of tags and of a moment shows what is there', async () => {
    draw(
      [
        { kind: 'enum', key: 'mode', label: 'Mode', options: [{ value: 1, label: 'By hand' }] },
        { kind: 'tags', key: 'tags', label: 'Tags' },
        { kind: 'date', key: 'at', label: 'Since' },
      ],
      { mode: 1, tags: ['red', 'blue'], at: new Date(2026, 0, 2, 3, 4, 5).getTime() },
    )
    await control('Since')
    const text = () => document.body.textContent
    expect(text()).toContain('By hand')
    expect(text()).toContain('red')
    expect(text()).toContain('blue')
    expect(((await control('Since')) as HTMLInputElement).value).toBe('2026-01-02 03:04:05')
  })

  it('of a place, an object and a list is put together of its parts', async () => {
    const form = draw([
      { kind: 'geo', key: 'place', label: 'Place', altitude: true },
      { kind: 'object', key: 'size', label: 'Size', fields: [{ kind: 'number', key: 'width', label: 'Width' }] },
      { kind: 'array', key: 'steps', label: 'Steps', element: { kind: 'string', key: '', label: '' }, maxItems: 2 },
    ])
    await type('Longitude', '120.5')
    await type('Latitude', '30')
    await type('Width', '7')
    const steps = () => [...document.querySelectorAll<HTMLInputElement>('[data-field$="steps"] input')]
    press(named('Add item'))
    await expect.poll(() => steps().length).toBe(1)
    press(named('Add item'))
    await expect.poll(() => steps().length).toBe(2)
    await expect.poll(() => named('Add item')?.hasAttribute('disabled')).toBe(true)
    fill(steps()[0] ?? null, 'fill')
    fill(steps()[1] ?? null, 'boil')
    await expect.poll(() => form().values.steps).toEqual(['fill', 'boil'])
    press(named('Remove item 1'))
    await expect.poll(() => steps().map(step => step.value)).toEqual(['boil'])
    expect(form().submit()).toEqual({ place: { lng: 120.5, lat: 30 }, size: { width: 7 }, steps: ['boil'] })
  })

  it('of a page’s own is drawn and checked by the page', async () => {
    const form = draw([
      {
        kind: 'custom',
        key: 'scope',
        label: 'Scope',
        check: value => (value === 'all' ? null : 'Choose something'),
        render: ({ id, onChange, invalid }) => (
          <button type="button" id={id} data-invalid={invalid} onClick={() => onChange('all')}>
            all
          </button>
        ),
      },
    ])
    await expect.poll(() => named('all')).not.toBeNull()
    expect(form().submit()).toBeNull()
    await expect.poll(complaints).toEqual(['Choose something'])
    expect(named('all')?.dataset.invalid).toBe('true')
    press(named('all'))
    await expect.poll(complaints).toEqual([])
    expect(form().submit()).toEqual({ scope: 'all' })
  })

  it('that is hidden is neither checked nor sent', async () => {
    const form = draw(
      [
        { kind: 'bool', key: 'more', label: 'More' },
        { kind: 'string', key: 'name', label: 'Name', required: true, visible: values => values.more === true },
      ],
      { more: false },
    )
    await control('More')
    expect(named(/^Name/, 'input')).toBeNull()
    expect(form().submit()).toEqual({ more: false })
    press(await control('More'))
    await control('Name')
    expect(form().submit()).toBeNull()
  })
})

/** What is wrong with a text, in both languages. */
const WRONG: [en: string, zh: string, field: Field, text: string][] = [
  ['Required', '必填', { kind: 'string', key: 'f', label: 'F', required: true }, ' '],
  ['At least 3 characters', '至少 3 个字符', { kind: 'string', key: 'f', label: 'F', minLength: 3 }, 'ab'],
  ['At most 3 characters', '最多 3 个字符', { kind: 'string', key: 'f', label: 'F', maxLength: 3 }, 'abcd'],
  ['Invalid format', '格式不正确', { kind: 'string', key: 'f', label: 'F', pattern: /^a/ }, 'b'],
  [
    'begins with a',
    'begins with a',
    { kind: 'string', key: 'f', label: 'F', pattern: /^a/, patternText: 'begins with a' },
    'b',
  ],
  ['Not a valid number', '不是有效的数字', { kind: 'number', key: 'f', label: 'F' }, '1.2.3'],
  ['Must be a whole number', '必须是整数', { kind: 'number', key: 'f', label: 'F', integer: true }, '1.5'],
  ['Must be at least 2', '不能小于 2', { kind: 'number', key: 'f', label: 'F', min: 2 }, '1'],
  ['Must be at most 2', '不能大于 2', { kind: 'number', key: 'f', label: 'F', max: 2 }, '3'],
  ['Not a 64-bit integer', '不是 64 位整数', { kind: 'int64', key: 'f', label: 'F' }, '9223372036854775808'],
  ['Use the format #RRGGBB', '格式为 #RRGGBB', { kind: 'color', key: 'f', label: 'F' }, 'red'],
  ['Not valid JSON', 'JSON 格式不正确', { kind: 'json', key: 'f', label: 'F' }, '{'],
  ['At most 1 bytes', '最多 1 字节', { kind: 'bytes', key: 'f', label: 'F', maxLength: 1 }, '0aff'],
  ['Not a valid number', '不是有效的数字', { kind: 'duration', key: 'f', label: 'F' }, 'soon'],
]

describe('a complaint', () => {
  afterEach(() => changeLocale('en'))

  it.each(WRONG)('stands under its field in both languages: %s', async (en, zh, field, text) => {
    const form = draw([field])
    await type('F', text)
    await expect.poll(() => form().values.f).toBeDefined()
    expect(form().submit()).toBeNull()
    await expect.poll(complaints).toEqual([en])
    const alert = document.querySelector('[role="alert"]') as HTMLElement
    expect((await control('F')).getAttribute('aria-describedby')).toContain(alert.id)
    await changeLocale('zh')
    await expect.poll(complaints).toEqual([zh])
  })

  it('of the server goes to the field that it names, also inside of one, and away when that is changed', async () => {
    const form = draw(
      [
        { kind: 'string', key: 'name', label: 'Name' },
        { kind: 'object', key: 'size', label: 'Size', fields: [{ kind: 'number', key: 'width', label: 'Width' }] },
      ],
      { name: 'Boiler', size: { width: 1 } },
    )
    await control('Width')
    const error = new ApiError({
      status: 422,
      code: 'request.validation',
      message: 'no',
      fields: {
        '/name': { code: 'taken', message: 'is taken' },
        '/size/width': { code: 'wide', message: 'is too wide' },
        '/other': { code: 'x', message: 'is wrong' },
      },
    })
    expect(form().refuse(error)).toEqual(['/other: is wrong'])
    await expect.poll(complaints).toEqual(['is taken', 'is too wide'])
    await type('Width', '2')
    await expect.poll(complaints).toEqual(['is taken'])
    await type('Name', 'Kettle')
    await expect.poll(complaints).toEqual([])
  })

  it('comes when a field is left, and not while nothing was typed', async () => {
    draw([
      { kind: 'string', key: 'note', label: 'Note', pattern: /^a/ },
      { kind: 'string', key: 'name', label: 'Name', pattern: /^a/ },
    ])
    const leave = async (label: string) =>
      (await control(label)).dispatchEvent(new FocusEvent('focusout', { bubbles: true }))
    await leave('Note')
    await type('Name', 'boiler')
    await leave('Name')
    await expect.poll(complaints).toEqual(['Invalid format'])
  })
})
