import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import type { ConditionRule } from '@thingwright/contracts/subscriptions.contract'
import { FILTER_OPERATORS } from '@thingwright/contracts/subscriptions.words'
import { AutoComplete, Button, Input, Segmented, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import css from '../subscriptions.module.css'
import type { TypedCondition, TypedRule } from './draft.ts'

const MAX_RULES = 10
const EMPTY: TypedCondition = { match: 'all', rules: [] }

/** Compares values of an item: a line for each comparison, all or any of them. */
export function ConditionInput({
  id,
  value,
  onChange,
  disabled,
  names,
}: {
  id: string
  value: TypedCondition | undefined
  onChange: (value: TypedCondition | undefined) => void
  disabled: boolean
  /** Identifiers that are offered. */
  names: readonly string[]
}) {
  const { t } = useTranslation('subscriptions')
  const { rules, ...rest } = value ?? EMPTY
  const put = (next: TypedRule[]) => onChange(next.length === 0 ? undefined : { ...rest, rules: next })
  const change = (at: number, part: Partial<TypedRule>) =>
    put(rules.map((rule, index) => (index === at ? { ...rule, ...part } : rule)))
  return (
    // biome-ignore lint/a11y/useSemanticElements: the field's own frame and label stand around it
    <div className={css.rules} id={id} role="group" aria-label={t('condition')}>
      {rules.length > 1 && (
        <Segmented
          aria-label={t('match.label')}
          disabled={disabled}
          value={rest.match}
          options={(['all', 'any'] as const).map(each => ({ value: each, label: t(`match.${each}`) }))}
          onChange={next => onChange({ ...rest, match: next as 'all' | 'any', rules })}
        />
      )}
      {rules.map((rule, at) => (
        // Rules have no identity but their place.
        <div key={at} className={css.rule}>
          <AutoComplete
            className={css.ruleName ?? ''}
            aria-label={t('ruleName', { at: at + 1 })}
            placeholder={t('identifier')}
            disabled={disabled}
            value={rule.identifier}
            options={names.map(name => ({ value: name }))}
            showSearch={{ filterOption: (typed, option) => (option?.value ?? '').includes(typed) }}
            maxLength={64}
            onChange={(identifier: string) => change(at, { identifier })}
          />
          <Select
            className={css.ruleOp ?? ''}
            aria-label={t('ruleOperator', { at: at + 1 })}
            disabled={disabled}
            value={rule.op}
            options={FILTER_OPERATORS.map(op => ({ value: op, label: t(`operator.${op}`) }))}
            onChange={(op: ConditionRule['op']) => change(at, { op })}
          />
          {rule.op === 'exists' ? (
            <span className={css.ruleValue} />
          ) : (
            <Input
              className={css.ruleValue ?? ''}
              aria-label={t('ruleValue', { at: at + 1 })}
              placeholder={t('value')}
              disabled={disabled}
              maxLength={256}
              value={rule.value}
              onChange={event => change(at, { value: event.target.value })}
            />
          )}
          <Button
            type="text"
            icon={<DeleteOutlined aria-hidden />}
            aria-label={t('removeRule', { at: at + 1 })}
            disabled={disabled}
            onClick={() => put(rules.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <Button
        type="dashed"
        icon={<PlusOutlined aria-hidden />}
        disabled={disabled || rules.length >= MAX_RULES}
        onClick={() => put([...rules, { identifier: '', op: 'gt', value: '' }])}
      >
        {t('addRule')}
      </Button>
    </div>
  )
}
