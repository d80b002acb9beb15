import { AppError } from '../../lib/errors.ts'
import { isCreditCode } from '../tenants/index.ts'

/**
 * The number of a taxpayer as it is kept: the unified social credit code of 18 characters with the right check character
 * (GB 32100-2015), or one of the 15 or 20 characters that were given before.
 * @throws AppError invoice.tax_number
 */
export function taxNumberOf(text: string): string {
  const number = text.normalize('NFKC').replaceAll(/\s/g, '').toUpperCase()
  const isOld = /^[0-9A-Z]{15}$|^[0-9A-Z]{20}$/.test(number)
  if (!isOld && !isCreditCode(number))
    throw new AppError('invoice.tax_number', { fields: { taxNo: { code: 'invoice.tax_number' } } })
  return number
}
