import { type ModelProblem, parseModel, type ThingModel } from '@thingwright/thing-model'
import { Button, Input } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../ui/copy-id.tsx'
import { saveFile } from '../../../ui/list-page/csv.ts'
import { readModelFile } from '../product-file.ts'
import css from '../products.module.css'
import { ModelProblems } from './model-problems.tsx'

const print = (model: ThingModel) => JSON.stringify(model, null, 2)

/** The draft as JSON: changed here, taken from a file, saved to one. What is wrong is listed with its place. */
export function ModelJson({
  model,
  name,
  editable,
  onChange,
}: {
  model: ThingModel
  /** File name without ending. */
  name: string
  editable: boolean
  onChange: (model: ThingModel) => void
}) {
  const { t } = useTranslation('products')
  const [text, setText] = useState(() => print(model))
  const [problems, setProblems] = useState<readonly ModelProblem[] | 'json'>([])
  const written = useRef(model)
  const file = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (written.current === model) return
    written.current = model
    setText(print(model))
    setProblems([])
  }, [model])
  const take = (typed: string) => {
    setText(typed)
    let value: unknown
    try {
      value = JSON.parse(typed)
    } catch {
      setProblems('json')
      return
    }
    const parsed = parseModel(value)
    setProblems(parsed.ok ? [] : parsed.problems)
    if (parsed.ok) {
      written.current = parsed.model
      onChange(parsed.model)
    }
  }
  const takeFile = async (picked: File | undefined) => {
    if (!picked) return
    const read = readModelFile(await picked.text())
    if (!read.ok) {
      setProblems(read.problems)
      return
    }
    setProblems([])
    onChange(read.model)
  }
  return (
    <div className={css.json}>
      <div className={css.jsonBar}>
        <span className={css.hint}>{t('jsonHint')}</span>
        {editable && <Button onClick={() => file.current?.click()}>{t('importFile')}</Button>}
        <Button onClick={() => saveFile(`${name}.json`, [print(model)], 'application/json')}>{t('exportFile')}</Button>
        <CopyButton value={text} />
      </div>
      {(problems === 'json' || problems.length > 0) && <ModelProblems problems={problems} />}
      <Input.TextArea
        className={css.code ?? ''}
        aria-label="JSON"
        value={text}
        readOnly={!editable}
        spellCheck={false}
        autoSize={{ minRows: 16, maxRows: 36 }}
        onChange={event => take(event.target.value)}
      />
      <input
        ref={file}
        type="file"
        hidden
        accept="application/json,.json"
        onChange={event => {
          void takeFile(event.target.files?.[0])
          event.target.value = ''
        }}
      />
    </div>
  )
}
