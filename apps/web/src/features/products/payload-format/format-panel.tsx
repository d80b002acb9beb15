import type { ProductDetail } from '@thingwright/contracts/products.contract'
import type { ThingModel } from '@thingwright/thing-model/model'
import { Alert, Button, Segmented } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { Panel } from '../../../ui/panel.tsx'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import products from '../products.module.css'
import { CayenneTable } from './cayenne-table.tsx'
import css from './format.module.css'
import { emptyFormat, type FormatKind, identifiersOf, KINDS, namesProperties } from './format-draft.ts'
import { JsonMapping } from './json-mapping.tsx'
import { LabelEditor } from './label-editor.tsx'
import { RegisterTable } from './register-table.tsx'
import { ScriptEditor } from './script-editor.tsx'
import type { FormatDraft } from './use-format-draft.ts'

const DetectDrawer = lazy(async () => ({ default: (await import('./detect-drawer.tsx')).DetectDrawer }))

/** What the payloads of the product look like: the kind of format and its editor, saved as one. */
export function FormatPanel({
  product,
  model,
  draft,
  onSample,
}: {
  product: ProductDetail
  model: ThingModel
  draft: FormatDraft
  /** The frame that a format was detected from, for the tester. */
  onSample: (sample: { payload: string; encoding: 'text' | 'hex' }) => void
}) {
  const { t } = useTranslation('payload-format')
  const mayWrite = useMay('formats.setFormat')
  const guard = useUnsavedGuard(draft.dirty)
  const [detecting, setDetecting] = useState(false)
  // What was edited of another kind comes back when that kind is chosen again.
  const [kept, setKept] = useState<Partial<Record<FormatKind, FormatDraft['format']>>>({})
  const { format, problems } = draft
  const choose = (kind: FormatKind) => {
    if (kind === format.kind) return
    setKept({ ...kept, [format.kind]: format })
    draft.setFormat(kept[kind] ?? emptyFormat(kind))
  }
  const save = async (force = false) => {
    if (await draft.save(force)) notify.success(t('saved'))
  }
  const props = { format, model, disabled: !mayWrite, onChange: draft.setFormat }
  const named = identifiersOf(format)
  const uncovered = namesProperties(format)
    ? model.properties.filter(property => property.access !== 'w' && !named.has(property.identifier))
    : []
  return (
    <Panel
      title={t('title')}
      hint={t('hint')}
      actions={mayWrite && <Button onClick={() => setDetecting(true)}>{t('detect.open')}</Button>}
    >
      <Segmented
        value={format.kind}
        disabled={!mayWrite}
        options={KINDS.map(kind => ({ value: kind, label: t(`kind.${kind}`) }))}
        onChange={kind => choose(kind as FormatKind)}
      />
      <div style={{ marginTop: 16 }} data-testid={`format-${format.kind}`}>
        {format.kind === 'json' && <JsonMapping {...props} problems={rowProblems(problems, 'values')} />}
        {format.kind === 'label' && <LabelEditor {...props} productId={product.id} problems={problems} />}
        {format.kind === 'modbus' && <RegisterTable {...props} problems={rowProblems(problems, 'registers')} />}
        {format.kind === 'script' && <ScriptEditor {...props} />}
        {format.kind === 'cayenne' && <CayenneTable {...props} problems={rowProblems(problems, 'channels')} />}
      </div>
      {uncovered.length > 0 && (
        <p className={css.uncovered}>
          {t('uncovered', { count: uncovered.length })}{' '}
          {uncovered.slice(0, 12).map((property, at) => (
            <span key={property.identifier}>
              {at > 0 && ', '}
              <code>{property.identifier}</code>
            </span>
          ))}
          {uncovered.length > 12 && ' …'}
        </p>
      )}
      {draft.failing ? (
        <Alert
          style={{ marginTop: 16 }}
          type="warning"
          showIcon
          role="alert"
          title={t('samplesFail', { count: draft.failing.length })}
          description={
            <>
              <ul className={css.failing}>
                {draft.failing.slice(0, 10).map(result => (
                  <li key={result.name}>
                    <b>{result.name}</b> {result.problems[0]}
                  </li>
                ))}
              </ul>
              <Button style={{ marginTop: 8 }} danger loading={draft.busy} onClick={() => void save(true)}>
                {t('saveAnyway')}
              </Button>
            </>
          }
        />
      ) : (
        draft.failure !== null && <FormAlert error={draft.failure} rest={otherProblems(problems)} />
      )}
      {draft.dirty && mayWrite && (
        <div className={products.saveBar} style={{ margin: '16px -16px -16px' }}>
          <span>{t('unsaved')}</span>
          <Button onClick={draft.discard}>{t('discard')}</Button>
          <Button type="primary" loading={draft.busy} onClick={() => void save()}>
            {t('save')}
          </Button>
        </div>
      )}
      {guard.dialog}
      <Suspense>
        {detecting && (
          <DetectDrawer
            productId={product.id}
            onClose={() => setDetecting(false)}
            onUse={(proposed, sample) => {
              setKept({ ...kept, [format.kind]: format })
              draft.setFormat(proposed)
              onSample(sample)
              setDetecting(false)
            }}
          />
        )}
      </Suspense>
    </Panel>
  )
}

/** Complaints about lines of a table, by the index of the line. */
function rowProblems(problems: Readonly<Record<string, string>>, table: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const [path, message] of Object.entries(problems)) {
    const [name, at] = path.split(/[.[\]]+/)
    if (name === table && at && /^\d+$/.test(at)) found.set(Number(at), message)
  }
  return found
}

/** Complaints that stand at no line. */
function otherProblems(problems: Readonly<Record<string, string>>): string[] {
  return Object.entries(problems)
    .filter(([path]) => !/^(values|registers|channels|frames)[.[]\d/.test(path) && path !== 'label')
    .map(([path, message]) => `${path}: ${message}`)
}
