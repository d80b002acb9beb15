import { type ThingModel, toTsl } from '@thingwright/thing-model'
import { Alert, Button, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { download } from '../../../lib/api-client.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { saveFile } from '../../../ui/list-page/csv.ts'
import { MenuButton } from '../../../ui/popup/menu-button.tsx'
import css from '../products.module.css'

/** The model as a file: ours, Alibaba's (with what has no words in it told before), or a workbook. */
export function ExportMenu({
  productId,
  productKey,
  model,
}: {
  productId: string
  productKey: string
  model: ThingModel
}) {
  const { t } = useTranslation('products')
  const [tsl, setTsl] = useState<ReturnType<typeof toTsl> | null>(null)
  const name = `${productKey}-model`
  const saveTsl = (document: unknown) =>
    saveFile(`${name}.tsl.json`, [JSON.stringify(document, null, 2)], 'application/json')
  const { attempt } = useWork()
  const sheet = (format: 'xlsx' | 'template') =>
    attempt(() =>
      download('thingModels.export', format === 'xlsx' ? `${name}.xlsx` : 'model-template.xlsx', {
        params: { id: productId },
        query: { format },
      }),
    )
  return (
    <>
      <MenuButton
        className={css.menuButton}
        items={[
          {
            key: 'json',
            label: t('export.json'),
            onSelect: () => saveFile(`${name}.json`, [JSON.stringify(model, null, 2)], 'application/json'),
          },
          {
            key: 'tsl',
            label: t('export.tsl'),
            onSelect: () => {
              const made = toTsl(model, productKey)
              if (made.dropped.length === 0) saveTsl(made.tsl)
              else setTsl(made)
            },
          },
          { key: 'xlsx', label: t('export.xlsx'), title: t('export.xlsxHelp'), onSelect: () => void sheet('xlsx') },
          { key: 'template', label: t('export.template'), onSelect: () => void sheet('template') },
        ]}
      >
        {t('export.button')}
      </MenuButton>
      {tsl && (
        <Modal
          open
          title={t('export.tsl')}
          onCancel={() => setTsl(null)}
          footer={[
            <Button key="cancel" onClick={() => setTsl(null)}>
              {t('cancel')}
            </Button>,
            <Button
              key="save"
              type="primary"
              onClick={() => {
                saveTsl(tsl.tsl)
                setTsl(null)
              }}
            >
              {t('export.save')}
            </Button>,
          ]}
        >
          <Alert
            type="info"
            showIcon
            title={t('export.dropped', { count: tsl.dropped.length })}
            description={
              <ul className={css.problems}>
                {tsl.dropped.slice(0, 50).map(({ path, field, became }) => (
                  <li key={`${path}/${field}`}>
                    <code>{path}</code> {field}
                    {became !== undefined && ` → ${became}`}
                  </li>
                ))}
              </ul>
            }
          />
        </Modal>
      )}
    </>
  )
}
