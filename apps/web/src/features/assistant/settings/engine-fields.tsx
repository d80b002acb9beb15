import type { TFunction } from 'i18next'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import type { Settings } from './hooks.ts'
import { KeyField } from './key-field.tsx'
import presets from './presets.json' with { type: 'json' }
import css from './settings.module.css'

export type Preset = (typeof presets)[number]

/** Stands in an address for the machine that only the company knows. */
const UNKNOWN_HOST = 'HOST'

const own = ({ engine }: Values) => engine === 'own'
const model = ({ engine }: Values) => engine === 'own' || engine === 'installation'

/** The form of the settings: which engine, and for a model where it is, what it may say and cost. */
export function engineFields(
  t: TFunction<'settings'>,
  settings: Settings,
  onPreset: (preset: Preset) => void,
): Field[] {
  const engines = (['builtin', 'installation', 'own', 'off'] as const).filter(
    engine => engine !== 'installation' || settings.installation !== null,
  )
  return [
    {
      kind: 'enum',
      key: 'engine',
      label: t('engine.title'),
      required: true,
      display: 'cards',
      options: engines.map(value => ({
        value,
        label: t(`engine.${value}`),
        help: t(`engine.${value}Help`, { model: settings.installation?.model ?? '' }),
      })),
    },
    {
      kind: 'string',
      key: 'baseUrl',
      label: t('baseUrl'),
      required: true,
      maxLength: 500,
      mono: true,
      placeholder: 'https://',
      visible: own,
      check: value =>
        String(value ?? '').includes(`//${UNKNOWN_HOST}`) ? t('hostMissing', { host: UNKNOWN_HOST }) : null,
      help: (
        <span className={css.presets}>
          <span>{t('presets')}</span>
          {presets.map(preset => (
            <button key={preset.name} type="button" onClick={() => onPreset(preset)}>
              {preset.name === 'OpenAI-compatible' ? t('presetOther') : preset.name}
            </button>
          ))}
        </span>
      ),
    },
    {
      kind: 'custom',
      key: 'apiKey',
      label: t('key.title'),
      help: t('key.help'),
      visible: own,
      render: input => <KeyField key={settings.version} input={input} stored={settings.hasApiKey} />,
    },
    {
      kind: 'string',
      key: 'model',
      label: t('model'),
      help: t('modelHelp'),
      required: true,
      maxLength: 200,
      mono: true,
      visible: own,
    },
    {
      kind: 'number',
      key: 'temperature',
      label: t('temperature'),
      help: t('temperatureHelp'),
      required: true,
      min: 0,
      max: 2,
      step: 0.1,
      half: true,
      visible: model,
    },
    {
      kind: 'number',
      key: 'maxTokens',
      label: t('maxTokens'),
      help: t('maxTokensHelp'),
      required: true,
      integer: true,
      min: 64,
      max: 32_768,
      unit: t('tokenUnit'),
      half: true,
      visible: model,
    },
    {
      kind: 'number',
      key: 'monthlyTokens',
      label: t('monthlyTokens'),
      help: t('monthlyTokensHelp'),
      integer: true,
      min: 0,
      max: 1_000_000_000_000,
      unit: t('tokenUnit'),
      visible: model,
    },
    ...(['priceIn', 'priceOut'] as const).map(
      (key): Field => ({
        kind: 'number',
        key,
        label: t(key),
        help: t('priceHelp'),
        required: true,
        min: 0,
        max: 100_000,
        unit: t('priceUnit'),
        half: true,
        visible: model,
      }),
    ),
    {
      kind: 'bool',
      key: 'sendValues',
      label: t('sendValues'),
      help: t('sendValuesHelp'),
      visible: model,
    },
  ]
}
