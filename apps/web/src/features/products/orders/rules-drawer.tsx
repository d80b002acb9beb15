import type { CommandRulesView } from '@thingwright/contracts/command-templates.contract'
import { COMMAND_CONFIRMS } from '@thingwright/contracts/commands.words'
import type { ThingModel } from '@thingwright/thing-model/model'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { rulesOf, rulesValues } from './rules-form.ts'
import { ORDERED } from './use-orders.ts'
import { CONDITION_OPERATORS, DANGER_LEVELS, LONGEST_TIMEOUT_MS } from './words.ts'

/** What holds for the product's commands, and what single properties and services do otherwise. */
export function RulesDrawer({
  productId,
  model,
  current,
  onClose,
}: {
  productId: string
  model: ThingModel
  current: CommandRulesView
  onClose: () => void
}) {
  const { t } = useTranslation('orders')
  const setRules = useAct('commandTemplates.setRules', { touches: ORDERED })
  const english = locale() === 'en'
  const fields = useMemo<Field[]>(() => {
    const options = (group: string, values: readonly string[]) =>
      values.map(value => ({ value, label: t(`${group}.${value}`) }))
    const confirms = options('confirm', COMMAND_CONFIRMS)
    const dangers = options('dangers', ['none', ...DANGER_LEVELS])
    return [
      {
        key: 'expirySeconds',
        kind: 'duration',
        label: t('expiry'),
        help: t('expiryHelp'),
        required: true,
        min: 60,
        max: 2_592_000,
        half: true,
      },
      { key: 'collapse', kind: 'bool', label: t('collapse'), help: t('collapseHelp'), half: true },
      {
        key: 'timeoutMs',
        kind: 'number',
        label: t('timeoutMs'),
        help: t('timeoutHelp'),
        unit: 'ms',
        integer: true,
        min: 500,
        max: LONGEST_TIMEOUT_MS,
        third: true,
      },
      {
        key: 'retries',
        kind: 'number',
        label: t('retries'),
        integer: true,
        min: 0,
        max: 5,
        required: true,
        third: true,
      },
      { key: 'confirm', kind: 'enum', label: t('confirmLabel'), options: confirms, required: true, third: true },
      { key: 'rawDanger', kind: 'enum', label: t('rawDanger'), options: dangers, required: true, half: true },
      {
        key: 'pin',
        kind: 'string',
        label: t('pin'),
        help: current.pinSet ? t('pinKept') : t('pinHelp'),
        secret: true,
        pattern: /^[0-9]{4,12}$/,
        patternText: t('pinRule'),
        half: true,
      },
      ...(current.pinSet
        ? ([
            {
              key: 'currentPin',
              kind: 'string',
              label: t('currentPin'),
              help: t('currentPinHelp'),
              secret: true,
              pattern: /^[0-9]{4,12}$/,
              patternText: t('pinRule'),
              half: true,
            },
            { key: 'removePin', kind: 'bool', label: t('removePin'), half: true },
          ] satisfies Field[])
        : []),
      {
        key: 'features',
        kind: 'array',
        label: t('features'),
        help: t('featuresHelp'),
        maxItems: 100,
        fresh: () => ({ confirm: 'auto', danger: 'none' }),
        element: {
          key: 'element',
          label: '',
          kind: 'object',
          fields: [
            {
              key: 'feature',
              kind: 'enum',
              label: t('feature'),
              required: true,
              third: true,
              options: [
                ...model.properties
                  .filter(property => property.access !== 'r')
                  .map(property => ({ value: `property:${property.identifier}`, label: nameOf(property, english) })),
                ...model.services.map(service => ({
                  value: `service:${service.identifier}`,
                  label: nameOf(service, english),
                })),
              ],
            },
            { key: 'confirm', kind: 'enum', label: t('confirmLabel'), options: confirms, third: true },
            { key: 'tolerance', kind: 'number', label: t('tolerance'), min: 0, third: true },
            { key: 'danger', kind: 'enum', label: t('danger'), options: dangers, half: true },
            { key: 'dangerText', kind: 'string', label: t('dangerText'), maxLength: 200, half: true },
            {
              key: 'interlockOf',
              kind: 'enum',
              label: t('interlockOf'),
              third: true,
              options: model.properties.map(property => ({
                value: property.identifier,
                label: nameOf(property, english),
              })),
            },
            {
              key: 'operator',
              kind: 'enum',
              label: t('operator'),
              third: true,
              options: CONDITION_OPERATORS.map(value => ({ value, label: t(`operators.${value}`) })),
            },
            { key: 'value', kind: 'string', label: t('value'), third: true },
          ],
        },
      },
    ]
  }, [t, model, english, current.pinSet])
  return (
    <FormDrawer
      title={t('rulesTitle')}
      width={720}
      fields={fields}
      initial={rulesValues(current.rules)}
      submitText={t('save')}
      onSubmit={async ({ pin, currentPin, removePin, ...values }, newer) => {
        await setRules.send({
          params: { id: productId },
          body: {
            rules: rulesOf(values, current.rules),
            version: newer ?? current.version,
            ...(pin ? { pin: String(pin) } : removePin ? { pin: null } : {}),
            ...(currentPin ? { currentPin: String(currentPin) } : {}),
          },
        })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
