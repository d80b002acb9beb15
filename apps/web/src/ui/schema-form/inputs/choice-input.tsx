import { Segmented, Select } from 'antd'
import type { EnumField } from '../field.ts'
import css from '../schema-form.module.css'

/** One of several: a list to drop down, buttons in a row, or cards that explain each choice. */
export function ChoiceInput({
  field,
  value,
  onChange,
  ...rest
}: {
  field: EnumField
  id: string
  value: unknown
  onChange: (value: unknown) => void
  disabled?: boolean
  status?: 'error'
  placeholder?: string
}) {
  const { options, display = 'select' } = field
  if (display === 'cards')
    return (
      <div className={css.choices} role="radiogroup" aria-label={field.label} id={rest.id}>
        {options.map(option => (
          <label key={String(option.value)} className={`${css.choice} ${option.value === value ? css.chosen : ''}`}>
            <input
              type="radio"
              name={rest.id}
              checked={option.value === value}
              disabled={rest.disabled}
              onChange={() => onChange(option.value)}
            />
            <span>
              <span className={css.choiceName}>{option.label}</span>
              {option.help && <span className={css.choiceHelp}>{option.help}</span>}
            </span>
          </label>
        ))}
      </div>
    )
  if (display === 'segmented' && field.required)
    return (
      <Segmented
        id={rest.id}
        disabled={rest.disabled === true}
        value={value as string | number}
        options={options.map(({ value, label }) => ({ value, label }))}
        onChange={onChange}
      />
    )
  return (
    <Select
      {...rest}
      value={(value as string | number | undefined) ?? null}
      allowClear={!field.required}
      loading={field.loading === true}
      options={options.map(({ value, label }) => ({ value, label }))}
      onChange={(next: string | number | null | undefined) => onChange(next ?? undefined)}
      {...(options.length > 8 || field.onSearch
        ? {
            showSearch: {
              optionFilterProp: 'label',
              ...(field.onSearch ? { onSearch: field.onSearch, filterOption: false as const } : {}),
            },
          }
        : {})}
    />
  )
}
