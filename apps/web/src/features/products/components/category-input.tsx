import { AutoComplete } from 'antd'
import { useCategories } from '../../../ui/product-categories.ts'
import type { CustomInput } from '../../../ui/schema-form/field.ts'

/** A product's category: one that others have, or a new one. */
export function CategoryInput({ input, maxLength }: { input: CustomInput; maxLength: number }) {
  const known = useCategories()
  const typed = typeof input.value === 'string' ? input.value : ''
  const options = known.filter(name => name.toLowerCase().includes(typed.toLowerCase())).map(value => ({ value }))
  return (
    <AutoComplete
      id={input.id}
      value={typed}
      disabled={input.disabled}
      options={options}
      style={{ width: '100%' }}
      onChange={(value: string) => input.onChange(value.slice(0, maxLength))}
      onBlur={input.onBlur}
    />
  )
}
