import type { TFunction } from 'i18next'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { PACKAGE_KINDS } from '../words.ts'

/** Version as devices report it; the server's pattern. */
export const VERSION_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_.+~-]{0,63}$/
const MODULE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/

export interface Choices {
  choices: readonly { value: string; label: string }[]
  setQ: (q: string) => void
  loading: boolean
}

/** What may be changed later as well. */
export function textFields(t: TFunction<'ota'>): { name: Field; notes: Field; ext: Field } {
  return {
    name: { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 },
    notes: {
      key: 'notes',
      kind: 'string',
      label: t('notes'),
      help: t('notesHelp'),
      maxLength: 200,
      rows: 2,
      cleared: '',
    },
    ext: {
      key: 'ext',
      kind: 'array',
      label: t('ext'),
      help: t('extHelp'),
      maxItems: 20,
      fresh: () => ({}),
      element: {
        key: 'element',
        label: '',
        kind: 'object',
        fields: [
          {
            key: 'key',
            kind: 'string',
            label: t('extKey'),
            required: true,
            mono: true,
            pattern: /^[A-Za-z0-9_.-]{1,32}$/,
            patternText: t('extKeyRule'),
            half: true,
          },
          { key: 'value', kind: 'string', label: t('extValue'), maxLength: 200, half: true },
        ],
      },
    },
  }
}

/** The fields of a new package, beside its file. */
export function packageFields(
  t: TFunction<'ota'>,
  products: Choices,
  more: { signatureRequired: boolean; lastOrderNo: number | null; sha256: string | null },
): Field[] {
  const { name, notes, ext } = textFields(t)
  return [
    {
      key: 'productId',
      kind: 'enum',
      label: t('product'),
      required: true,
      options: products.choices,
      onSearch: products.setQ,
      loading: products.loading,
      half: true,
    },
    {
      key: 'module',
      kind: 'string',
      label: t('module'),
      help: t('moduleHelp'),
      required: true,
      mono: true,
      pattern: MODULE_PATTERN,
      patternText: t('moduleRule'),
      half: true,
    },
    {
      key: 'kind',
      kind: 'enum',
      label: t('kind'),
      required: true,
      display: 'cards',
      options: PACKAGE_KINDS.map(value => ({
        value,
        label: t(`packageKind.${value}`),
        help: t(`packageKindHelp.${value}`),
      })),
    },
    {
      key: 'fromVersion',
      kind: 'string',
      label: t('fromVersion'),
      required: true,
      mono: true,
      pattern: VERSION_PATTERN,
      patternText: t('versionRule'),
      visible: values => values.kind === 'delta',
      check: (value, values) => (value !== undefined && value === values.version ? t('sameVersion') : null),
      third: true,
    },
    {
      key: 'version',
      kind: 'string',
      label: t('version'),
      help: t('versionHelp'),
      required: true,
      mono: true,
      pattern: VERSION_PATTERN,
      patternText: t('versionRule'),
      third: true,
    },
    {
      key: 'orderNo',
      kind: 'number',
      label: t('orderNo'),
      help: more.lastOrderNo === null ? t('orderNoHelp') : t('orderNoLast', { last: more.lastOrderNo }),
      required: true,
      integer: true,
      min: 1,
      max: 99_999,
      third: true,
    },
    name,
    {
      key: 'expected',
      kind: 'string',
      label: t('expectedHash'),
      help: t('expectedHashHelp'),
      mono: true,
      pattern: /^[0-9A-Fa-f]{64}$/,
      patternText: t('hashRule'),
      check: value =>
        typeof value === 'string' && value !== '' && more.sha256 !== null && value.toLowerCase() !== more.sha256
          ? t('hashDiffers')
          : null,
    },
    {
      key: 'signature',
      kind: 'string',
      label: t('signatureOf'),
      help: more.signatureRequired ? t('signatureRequired') : t('signatureHelp'),
      required: more.signatureRequired,
      mono: true,
      rows: 2,
      pattern: /^[A-Za-z0-9+/_-]{86}(==)?$/,
      patternText: t('signatureRule'),
    },
    notes,
    ext,
  ]
}

/** Rows of own keys and values as the object the server takes. */
export function extOf(rows: unknown): Record<string, string> {
  return Object.fromEntries(
    ((rows as Values[] | undefined) ?? []).map(row => [String(row.key ?? '').trim(), String(row.value ?? '')]),
  )
}

/** What a file's name says about its version: `pump_v1.4.2-rc1.bin` → `1.4.2-rc1`. */
export function versionIn(fileName: string): string | null {
  const found = /(?:^|[^0-9A-Za-z])[vV]?(\d+(?:\.\d+){1,3}(?:[-+~][A-Za-z0-9.]+)?)/.exec(
    fileName.replace(/\.[A-Za-z][A-Za-z0-9]*$/, ''),
  )
  return found?.[1] ?? null
}

/** The texts of a form that goes up with the file; empty ones are left out. */
export function uploadFields(values: Values, sha256: string): Record<string, string> {
  const ext = extOf(values.ext)
  const given: Record<string, unknown> = {
    productId: values.productId,
    name: values.name,
    module: values.module,
    kind: values.kind,
    version: values.version,
    fromVersion: values.kind === 'delta' ? values.fromVersion : undefined,
    orderNo: values.orderNo,
    sha256,
    signature: values.signature,
    notes: values.notes,
    ext: Object.keys(ext).length > 0 ? JSON.stringify(ext) : undefined,
  }
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) =>
      value === undefined || value === null || value === '' ? [] : [[key, String(value).trim()]],
    ),
  )
}
