import type { Property } from '@thingwright/thing-model'
import { Button, Drawer } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { readRows } from '../model/quick-rows.ts'
import css from '../products.module.css'
import { QuickModel, quickRow } from './quick-model.tsx'

/** Several properties at once in the quick mode; they go into the draft on the page. */
export function QuickDrawer({
  taken,
  onDone,
  onClose,
}: {
  taken: readonly string[]
  onDone: (properties: Property[]) => void
  onClose: () => void
}) {
  const { t } = useTranslation('products')
  const [rows, setRows] = useState(() => [quickRow()])
  const [problems, setProblems] = useState<ReadonlyMap<number, string>>(new Map())
  const [ended, setEnded] = useState(false)
  const guard = useUnsavedGuard(!ended && rows.some(row => row.name.trim() !== ''))
  const done = () => {
    const read = readRows(rows, taken)
    setProblems(read.problems)
    if (read.problems.size > 0 || read.properties.length === 0) return
    setEnded(true)
    onDone(read.properties)
  }
  return (
    <Drawer
      open
      size={720}
      title={t('quick.open')}
      onClose={() => guard.ask(onClose)}
      footer={
        <div className={css.drawerFoot}>
          <span className={css.footLeft}>{t('draftHint')}</span>
          <Button onClick={() => guard.ask(onClose)}>{t('cancel')}</Button>
          <Button type="primary" onClick={done}>
            {t('addToDraft')}
          </Button>
        </div>
      }
    >
      <p className={css.lead}>{t('quick.lead')}</p>
      <QuickModel rows={rows} onChange={setRows} problems={problems} />
      {guard.dialog}
    </Drawer>
  )
}
