import { COMMAND_CONFIRMS } from '@thingwright/contracts/commands.words'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { PARAM_TYPES, PAYLOAD_KINDS } from './template-form.ts'
import { CHECKSUMS, CONDITION_OPERATORS, DANGER_LEVELS, LONGEST_TIMEOUT_MS } from './words.ts'

type Words = (key: string, braces?: { open: string; close: string }) => string

/** Braces cannot stand in a text by themselves. */
const BRACES = { open: '{{', close: '}}' }

const of =
  (...kinds: string[]) =>
  (values: Values) =>
    kinds.includes(String(values.kind))

/** The fields of the template's form, in the order in which one thinks of them. */
export function fieldsOf(t: Words, properties: readonly string[]): Field[] {
  const options = (group: string, values: readonly (string | number)[]) =>
    values.map(value => ({ value, label: t(`${group}.${value}`) }))
  return [
    { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64, half: true },
    {
      key: 'code',
      kind: 'string',
      label: t('code'),
      help: t('codeHelp'),
      required: true,
      maxLength: 64,
      pattern: /^[A-Za-z0-9_.-]+$/,
      patternText: t('codeRule'),
      mono: true,
      half: true,
    },
    { key: 'description', kind: 'string', label: t('description'), maxLength: 500, cleared: '' },
    {
      key: 'params',
      kind: 'array',
      label: t('params'),
      help: t('paramsHelp', BRACES),
      maxItems: 32,
      fresh: () => ({ type: 'int32' }),
      element: {
        key: 'element',
        label: '',
        kind: 'object',
        fields: [
          {
            key: 'identifier',
            kind: 'string',
            label: t('identifier'),
            required: true,
            mono: true,
            pattern: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
            patternText: t('identifierRule'),
            third: true,
          },
          { key: 'name', kind: 'string', label: t('name'), maxLength: 64, third: true },
          {
            key: 'type',
            kind: 'enum',
            label: t('type'),
            required: true,
            options: options('types', PARAM_TYPES),
            third: true,
          },
          { key: 'min', kind: 'number', label: t('min'), third: true, visible: numeric },
          { key: 'max', kind: 'number', label: t('max'), third: true, visible: numeric },
          { key: 'default', kind: 'string', label: t('default'), third: true },
        ],
      },
    },
    {
      key: 'kind',
      kind: 'enum',
      label: t('payloadKind'),
      required: true,
      options: options('payload', PAYLOAD_KINDS),
    },
    {
      key: 'template',
      kind: 'string',
      label: t('hexTemplate'),
      help: t('hexHelp', BRACES),
      required: true,
      mono: true,
      rows: 2,
      maxLength: 8192,
      visible: of('hex'),
    },
    {
      key: 'checksum',
      kind: 'enum',
      label: t('checksum'),
      options: options('checksums', CHECKSUMS),
      third: true,
      visible: of('hex'),
    },
    {
      key: 'checksumFrom',
      kind: 'number',
      label: t('checksumFrom'),
      integer: true,
      min: 0,
      max: 255,
      third: true,
      visible: of('hex'),
    },
    { key: 'tail', kind: 'string', label: t('tail'), mono: true, maxLength: 32, third: true, visible: of('hex') },
    {
      key: 'text',
      kind: 'string',
      label: t('textTemplate'),
      help: t('textHelp', BRACES),
      required: true,
      mono: true,
      rows: 3,
      keepSpaces: true,
      visible: of('text'),
    },
    {
      key: 'json',
      kind: 'json',
      label: t('jsonTemplate'),
      help: t('jsonHelp', BRACES),
      required: true,
      visible: of('json'),
    },
    {
      key: 'properties',
      kind: 'json',
      label: t('propertyValues'),
      help: t('jsonHelp', BRACES),
      required: true,
      visible: of('property_set'),
    },
    {
      key: 'service',
      kind: 'string',
      label: t('serviceIdentifier'),
      required: true,
      mono: true,
      visible: of('service'),
    },
    { key: 'input', kind: 'json', label: t('serviceInput'), help: t('jsonHelp', BRACES), visible: of('service') },
    {
      key: 'function',
      kind: 'enum',
      label: t('function'),
      options: options('functions', [1, 2, 3, 4, 5, 6, 15, 16]),
      half: true,
      visible: of('modbus'),
    },
    {
      key: 'framing',
      kind: 'enum',
      label: t('framing'),
      options: [
        { value: 'rtu', label: 'RTU' },
        { value: 'tcp', label: 'TCP' },
      ],
      half: true,
      visible: of('modbus'),
    },
    {
      key: 'slave',
      kind: 'number',
      label: t('slave'),
      help: t('slaveHelp'),
      integer: true,
      min: 0,
      max: 247,
      third: true,
      visible: of('modbus'),
    },
    {
      key: 'address',
      kind: 'number',
      label: t('address'),
      integer: true,
      min: 0,
      max: 65_535,
      required: true,
      third: true,
      visible: of('modbus'),
    },
    {
      key: 'quantity',
      kind: 'number',
      label: t('quantity'),
      integer: true,
      min: 1,
      max: 125,
      third: true,
      visible: values => values.kind === 'modbus' && Number(values.function) < 5,
    },
    {
      key: 'data',
      kind: 'string',
      label: t('registerData'),
      help: t('hexHelp', BRACES),
      required: true,
      mono: true,
      visible: values => values.kind === 'modbus' && Number(values.function) > 4,
    },
    ...answerFields(t, options),
    ...guardFields(t, options, properties),
  ]
}

const numeric = (values: Values) => values.type === 'int32' || values.type === 'double'
const bytes = of('hex', 'text', 'json', 'modbus')

type Options = (group: string, values: readonly (string | number)[]) => { value: string | number; label: string }[]

function answerFields(t: Words, options: Options): Field[] {
  return [
    {
      key: 'prefix',
      kind: 'string',
      label: t('prefix'),
      help: t('prefixHelp'),
      mono: true,
      half: true,
      visible: bytes,
    },
    { key: 'equals', kind: 'string', label: t('equals'), mono: true, half: true, visible: bytes },
    { key: 'regex', kind: 'string', label: t('regex'), mono: true, maxLength: 128, half: true, visible: bytes },
    {
      key: 'answerChecksum',
      kind: 'enum',
      label: t('answerChecksum'),
      options: options('checksums', CHECKSUMS),
      half: true,
      visible: bytes,
    },
    {
      key: 'minLength',
      kind: 'number',
      label: t('minLength'),
      integer: true,
      min: 1,
      max: 8192,
      third: true,
      visible: bytes,
    },
    {
      key: 'maxLength',
      kind: 'number',
      label: t('maxLength'),
      integer: true,
      min: 1,
      max: 8192,
      third: true,
      visible: bytes,
    },
    {
      key: 'carriesData',
      kind: 'bool',
      label: t('carriesData'),
      help: t('carriesDataHelp'),
      third: true,
      visible: bytes,
    },
    {
      key: 'timeoutMs',
      kind: 'number',
      label: t('timeoutMs'),
      help: t('timeoutOfRules'),
      unit: 'ms',
      integer: true,
      min: 500,
      max: LONGEST_TIMEOUT_MS,
      third: true,
    },
    { key: 'retries', kind: 'number', label: t('retries'), integer: true, min: 0, max: 5, required: true, third: true },
    {
      key: 'confirm',
      kind: 'enum',
      label: t('confirmLabel'),
      options: options('confirm', COMMAND_CONFIRMS),
      third: true,
    },
  ]
}

function guardFields(t: Words, options: Options, properties: readonly string[]): Field[] {
  return [
    {
      key: 'danger',
      kind: 'enum',
      label: t('danger'),
      help: t('dangerHelp'),
      options: options('dangers', ['none', ...DANGER_LEVELS]),
      half: true,
    },
    {
      key: 'dangerText',
      kind: 'string',
      label: t('dangerText'),
      maxLength: 200,
      half: true,
      visible: values => values.danger !== 'none',
    },
    interlockField(t, properties),
  ]
}

/** Conditions on the latest values, all of which must hold. */
export function interlockField(t: Words, properties: readonly string[]): Field {
  return {
    key: 'interlock',
    kind: 'array',
    label: t('interlock'),
    help: t('interlockHelp'),
    maxItems: 10,
    fresh: () => ({ identifier: properties[0] ?? '', operator: 'lt', value: '' }),
    element: {
      key: 'element',
      label: '',
      kind: 'object',
      fields: [
        {
          key: 'identifier',
          kind: 'enum',
          label: t('property'),
          required: true,
          options: properties.map(value => ({ value, label: value })),
          third: true,
        },
        {
          key: 'operator',
          kind: 'enum',
          label: t('operator'),
          required: true,
          options: CONDITION_OPERATORS.map(value => ({ value, label: t(`operators.${value}`) })),
          third: true,
        },
        { key: 'value', kind: 'string', label: t('value'), required: true, third: true },
      ],
    },
  }
}
