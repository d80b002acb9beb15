import type { LibraryEntry } from '@thingwright/contracts/product-library.contract'
import { Alert, Select } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../lib/i18n.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { Values } from '../../ui/schema-form/field.ts'
import css from './lora.module.css'

/** What a device of the product library says of its device profile: its name and its codec. */
function useTemplate(key: string | null): { values: Values | null; failed: boolean } {
  const language = locale()
  const read = useRead('productLibrary.get', { params: { key: key ?? '' } }, { enabled: key !== null, retry: false })
  const item = key === null ? undefined : read.data
  const values = useMemo(() => {
    if (!item) return null
    const { kind, source } = item.format as { kind?: string; source?: string }
    return {
      name: `${item.vendor} ${item.model}`.slice(0, 100),
      description: item.name[language],
      ...(kind === 'script' && source ? { codecRuntime: 'js', codecScript: source } : {}),
      ...(kind === 'cayenne' ? { codecRuntime: 'cayenne_lpp' } : {}),
    }
  }, [item, language])
  return { values, failed: read.isError }
}

/**
 * Lets a device profile begin with a device of the product library, by vendor and model.
 * @param children the form, made anew for another template: `values` replace what it would begin with
 */
export function TemplatePicker({
  chosen,
  onChange,
  children,
}: {
  chosen: string | null
  onChange: (key: string | null) => void
  children: (values: Values | null, ready: boolean) => React.ReactNode
}) {
  const { t } = useTranslation('lora')
  const may = useMay('productLibrary.list')
  const list = useRead('productLibrary.list', { query: { linkType: 'lorawan' } }, { enabled: may, staleTime: 600_000 })
  const { values, failed } = useTemplate(chosen)
  const language = locale()
  const options = useMemo(() => byVendor(list.data?.items ?? [], language), [list.data, language])
  return (
    <>
      {may && options.length > 0 && (
        <div className={css.template}>
          <span>{t('profile.template')}</span>
          <Select
            aria-label={t('profile.template')}
            placeholder={t('profile.templateNone')}
            allowClear
            showSearch={{ optionFilterProp: 'label' }}
            value={chosen}
            options={options}
            onChange={key => onChange(key ?? null)}
          />
          <p className={css.quiet}>{t('profile.templateHelp')}</p>
        </div>
      )}
      {failed && <Alert type="warning" showIcon title={t('profile.templateFailed')} />}
      {children(values, chosen === null || values !== null || failed)}
    </>
  )
}

function byVendor(items: readonly LibraryEntry[], language: 'zh' | 'en') {
  const vendors = new Map<string, { value: string; label: string }[]>()
  for (const { key, vendor, model, name } of items)
    vendors.set(vendor, [...(vendors.get(vendor) ?? []), { value: key, label: `${model} · ${name[language]}` }])
  return [...vendors].map(([label, options]) => ({ label, options }))
}
