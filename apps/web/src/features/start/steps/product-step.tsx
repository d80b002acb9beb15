import { Button, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { locale } from '../../../lib/i18n.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import css from '../start.module.css'

/** A product of the library becomes the company’s own; the one that most begin with is chosen already. */
export function ProductStep() {
  const { t } = useTranslation('start')
  const language = locale()
  const library = useRead('productLibrary.list', { query: {} }, { staleTime: 300_000 })
  const [chosen, setChosen] = useState<string | null>(null)
  const install = useAct('productLibrary.install', { touches: ['products', 'audit.list'] })
  const items = library.data?.items ?? []
  const key = chosen ?? items[0]?.key
  return (
    <>
      <p>{t('product.text')}</p>
      <div className={css.form}>
        <Select
          className={css.wide ?? ''}
          aria-label={t('product.label')}
          showSearch={{ optionFilterProp: 'label' }}
          loading={library.data === undefined}
          value={key ?? null}
          options={items.map(item => ({ value: item.key, label: item.name[language] }))}
          onChange={setChosen}
        />
        <Button
          type="primary"
          disabled={key === undefined}
          loading={install.pending}
          onClick={() => key !== undefined && void install.run({ params: { key }, body: {} })}
        >
          {t('product.add')}
        </Button>
        <Link to="/manage/product">{t('product.own')}</Link>
      </div>
    </>
  )
}
