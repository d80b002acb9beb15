import { Select } from 'antd'
import type { LazySelectProps } from './lazy-select.tsx'

/** The component library's choice, opened at once: somebody has just asked for it. */
export function OpenSelect({ options, className, id, placeholder, ...rest }: LazySelectProps) {
  return (
    <Select<string>
      {...rest}
      {...(id === undefined ? {} : { id })}
      {...(placeholder === undefined ? {} : { placeholder })}
      className={className ?? ''}
      options={[...options]}
      autoFocus
      defaultOpen
    />
  )
}
