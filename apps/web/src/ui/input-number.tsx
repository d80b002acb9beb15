import { type InputNumberProps, InputNumber as Plain } from 'antd'
import { plainNumber } from '../lib/typed-number.ts'

/** What the component library does with a text by itself: it drops every other sign. */
const drop = (text: string) => text.replace(/[^\w.-]+/g, '')

/** The library's field for a number, which also reads full-width digits; the library drops them without a word. */
export function InputNumber<T extends number | string = number>({ parser, ...rest }: InputNumberProps<T>) {
  return (
    <Plain<T>
      {...rest}
      parser={text => {
        const plain = plainNumber(text ?? '')
        return parser ? parser(plain) : (drop(plain) as T)
      }}
    />
  )
}
