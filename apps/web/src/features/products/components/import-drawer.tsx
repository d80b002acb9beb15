import type { ImportPreview } from '@thingwright/contracts/thing-models.contract'
import { type MergeMode, mergeModels, parseModel, type ThingModel } from '@thingwright/thing-model'
import { Alert, Button, Drawer, Input, Segmented } from 'antd'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { download } from '../../../lib/api-client.ts'
import { showError } from '../../../lib/errors.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { modelOf } from '../hooks.ts'
import { changesAgainst } from '../model/model-changes.ts'
import css from '../products.module.css'
import { ChangeList } from './change-list.tsx'
import own from './import-drawer.module.css'
import { ProductPicker } from './product-picker.tsx'

type Source = 'file' | 'text' | 'product'
const MOST_BYTES = 700_000
const SHOWN = 100

/** A model out of a file, pasted text or another product. What it would change is shown first; taking it changes the draft. */
export function ImportDrawer({
  productId,
  model,
  onDone,
  onClose,
}: {
  productId: string
  /** The draft on the page. */
  model: ThingModel
  onDone: (model: ThingModel) => void
  onClose: () => void
}) {
  const { t } = useTranslation('products')
  const [source, setSource] = useState<Source>('file')
  const [mode, setMode] = useState<MergeMode>('merge')
  const [text, setText] = useState('')
  const [name, setName] = useState('')
  const [other, setOther] = useState<string | null>(null)
  const [preview, setPreview] = useState<ImportPreview | null>(null)
  const previewImport = useAct('thingModels.previewImport', { own: false, done: setPreview })
  const { attempt } = useWork()
  const file = useRef<HTMLInputElement>(null)
  const read = async (body: {
    source: 'json' | 'xlsx' | 'product'
    text?: string
    content?: string
    productId?: string
  }) => {
    setPreview(null)
    await previewImport.run({ params: { id: productId }, body: { mode, ...body } })
  }
  const takeFile = async (picked: File | undefined) => {
    if (!picked) return
    setName(picked.name)
    if (picked.size > MOST_BYTES) {
      showError(new Error(t('import.tooLarge')))
      return
    }
    if (/\.(xlsx|csv)$/i.test(picked.name)) await read({ source: 'xlsx', content: await base64(picked) })
    else await read({ source: 'json', text: await picked.text() })
  }
  // The draft on the page may be ahead of the one at the server.
  const merged = useMemo(() => {
    if (!preview) return null
    const parsed = parseModel(mergeModels(model, modelOf(preview.model), mode))
    return parsed.ok ? parsed.model : null
  }, [preview, model, mode])
  const changes = useMemo(() => (merged ? changesAgainst(model, merged).changes : []), [merged, model])
  const count = preview
    ? ['properties', 'events', 'services'].reduce(
        (sum, key) => sum + ((preview.model[key] as unknown[]) ?? []).length,
        0,
      )
    : 0
  return (
    <Drawer
      open
      size={720}
      title={t('import.title')}
      onClose={onClose}
      footer={
        <div className={css.drawerFoot}>
          <span className={css.footLeft}>{t('draftHint')}</span>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="primary" disabled={!merged || changes.length === 0} onClick={() => merged && onDone(merged)}>
            {t('import.take')}
          </Button>
        </div>
      }
    >
      <div className={own.importBar}>
        <Segmented
          value={source}
          options={(['file', 'text', 'product'] as const).map(value => ({ value, label: t(`import.${value}`) }))}
          onChange={next => {
            setSource(next as Source)
            setPreview(null)
          }}
        />
        <Segmented
          value={mode}
          options={(['merge', 'replace'] as const).map(value => ({ value, label: t(`import.${value}`) }))}
          onChange={next => setMode(next as MergeMode)}
        />
      </div>
      <p className={css.hint}>{t(mode === 'merge' ? 'import.mergeHelp' : 'import.replaceHelp')}</p>
      {source === 'file' && (
        // biome-ignore lint/a11y/noStaticElementInteractions: files may be dropped here; the button does the same
        <div
          className={own.drop}
          onDragOver={event => event.preventDefault()}
          onDrop={event => {
            event.preventDefault()
            void takeFile(event.dataTransfer.files[0])
          }}
        >
          <Button loading={previewImport.pending} onClick={() => file.current?.click()}>
            {t('import.choose')}
          </Button>
          <span>{name || t('import.kinds')}</span>
          <Button
            type="link"
            onClick={() =>
              void attempt(() =>
                download('thingModels.export', 'model-template.xlsx', {
                  params: { id: productId },
                  query: { format: 'template' },
                }),
              )
            }
          >
            {t('import.template')}
          </Button>
          <input
            ref={file}
            type="file"
            hidden
            accept=".json,.xlsx,.csv,application/json"
            onChange={event => {
              void takeFile(event.target.files?.[0])
              event.target.value = ''
            }}
          />
        </div>
      )}
      {source === 'text' && (
        <div className={css.json}>
          <Input.TextArea
            className={css.code ?? ''}
            aria-label={t('import.text')}
            placeholder={t('import.textPlaceholder')}
            value={text}
            spellCheck={false}
            autoSize={{ minRows: 6, maxRows: 14 }}
            onChange={event => setText(event.target.value)}
          />
          <div>
            <Button
              loading={previewImport.pending}
              disabled={text.trim() === ''}
              onClick={() => void read({ source: 'json', text })}
            >
              {t('import.read')}
            </Button>
          </div>
        </div>
      )}
      {source === 'product' && (
        <ProductPicker
          value={other}
          except={productId}
          onChange={id => {
            setOther(id)
            if (id) void read({ source: 'product', productId: id })
          }}
        />
      )}
      {preview && (
        <section aria-live="polite" className={own.importResult}>
          <p className={css.lead}>{t('import.found', { count })}</p>
          {preview.problems.length > 0 && (
            <Alert
              className={css.alert ?? ''}
              type="error"
              showIcon
              title={t('import.problems', { count: preview.problems.length })}
              description={
                <ul className={css.problems}>
                  {preview.problems.slice(0, SHOWN).map((problem, at) => (
                    <li key={`${at}/${problem.path}`}>
                      {problem.row !== null && <>{t('import.row', { row: problem.row })} </>}
                      {problem.path && <code>{problem.path}</code>} {problem.message}
                    </li>
                  ))}
                </ul>
              }
            />
          )}
          {preview.dropped.length > 0 && (
            <Alert
              className={css.alert ?? ''}
              type="info"
              showIcon
              title={t('import.dropped', { count: preview.dropped.length })}
              description={
                <ul className={css.problems}>
                  {preview.dropped.slice(0, SHOWN).map((item, at) => (
                    <li key={`${at}/${item.path}`}>
                      <code>{item.path || '$'}</code> {item.field}
                      {item.became !== undefined && ` → ${item.became}`}
                    </li>
                  ))}
                </ul>
              }
            />
          )}
          {merged === null ? (
            <p role="alert">{t('import.tooMuch')}</p>
          ) : changes.length === 0 ? (
            <p>{t('import.nothing')}</p>
          ) : (
            <ChangeList
              changes={changes.map(change => ({
                of: change.kind,
                kind: change.change,
                identifier: change.identifier,
                attributes: change.attributes,
                breaking: change.breaking,
              }))}
            />
          )}
        </section>
      )}
    </Drawer>
  )
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^data:[^,]*,/, ''))
    reader.onerror = () => reject(reader.error ?? new Error('unreadable'))
    reader.readAsDataURL(file)
  })
}
