import { AutoComplete, Checkbox, DatePicker, Input, Segmented, Select } from 'antd'
import dayjs from 'dayjs'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useAlarmLevels } from '../../../ui/alarm-levels.ts'
import { InputNumber } from '../../../ui/input-number.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { AlarmTag } from '../../../ui/status-tag.tsx'
import { GroupsSelect, ManySelect } from '../../../ui/thing-pickers.tsx'
import { type Draft, SCOPES, type ScopeKind } from '../draft.ts'
import { propertyOptions, type ScopeModel } from '../hooks.ts'
import { FIELDS_OF, KINDS, WITHOUT_PROPERTY } from '../lists.ts'
import css from '../triggers.module.css'
import { ActionList } from './action-list.tsx'
import { ConditionEditor } from './condition-editor.tsx'
import { HoursFields } from './hours-fields.tsx'
import { Complaint } from './problems.tsx'
import { Row } from './row.tsx'
import { SourceFields } from './source-fields.tsx'

interface Props {
  draft: Draft
  model: ScopeModel
  onChange: (to: Partial<Draft>) => void
}

/** The form, in the order of the sentence: when, over which devices, then what, at which hours. */
export function EditorFields(props: Props) {
  const { t } = useTranslation('triggers')
  const { draft, onChange } = props
  const id = useId()
  return (
    <>
      <Panel title={t('section.what')}>
        <div className={css.fields}>
          <Row label={t('name')} htmlFor={`${id}-name`} path="name" required>
            <Input
              id={`${id}-name`}
              value={draft.name}
              maxLength={64}
              onChange={event => onChange({ name: event.target.value })}
            />
          </Row>
          {draft.kind !== 'object' && <ScopeFields {...props} />}
          <KindFields {...props} />
        </div>
      </Panel>
      <Panel title={t('section.then')} hint={t('section.thenHint')}>
        <div className={css.fields}>
          <AlarmFields {...props} />
          <ActionList actions={draft.actions} model={props.model} onChange={actions => onChange({ actions })} />
        </div>
      </Panel>
      <Panel title={t('section.more')} hint={t('section.moreHint')}>
        <div className={css.fields}>
          <HoursFields hours={draft.hours} onChange={hours => onChange({ hours })} />
          <MoreFields {...props} />
        </div>
      </Panel>
    </>
  )
}

function ScopeFields({ draft, onChange }: Props) {
  const { t } = useTranslation('triggers')
  const id = useId()
  const { scopeKind } = draft
  const set = (chosen: string[]) => onChange({ scope: { ...draft.scope, [scopeKind]: chosen } })
  const value = draft.scope[scopeKind]
  return (
    <Row label={t('scope')} htmlFor={id} path="scope" help={t(`scopeHelp.${scopeKind}`)} required>
      <Segmented
        aria-label={t('scopeKindTitle')}
        value={scopeKind}
        options={SCOPES.map(each => ({ value: each, label: t(`scopeKind.${each}`) }))}
        onChange={(next: ScopeKind) => onChange({ scopeKind: next })}
      />
      {scopeKind === 'devices' && (
        <ManySelect
          kind="device"
          id={id}
          value={value}
          onChange={set}
          disabled={false}
          placeholder={t('pick.devices')}
        />
      )}
      {scopeKind === 'products' && (
        <ManySelect
          kind="product"
          id={id}
          value={value}
          onChange={set}
          disabled={false}
          placeholder={t('pick.products')}
        />
      )}
      {scopeKind === 'groups' && (
        <GroupsSelect id={id} value={value} onChange={set} disabled={false} placeholder={t('pick.groups')} />
      )}
      {scopeKind === 'tags' && (
        <Select
          id={id}
          mode="tags"
          value={value}
          placeholder={t('pick.tags')}
          tokenSeparators={[',', '，']}
          open={false}
          suffixIcon={null}
          onChange={set}
        />
      )}
    </Row>
  )
}

function KindFields({ draft, model, onChange }: Props) {
  const { t } = useTranslation('triggers')
  const id = useId()
  const { kind } = draft
  const fields = FIELDS_OF[kind]
  const property = model.properties.find(each => each.identifier === draft.property)
  const unit = property?.unit ?? ''
  const number = (field: 'high' | 'low' | 'minutes' | 'deadBand' | 'decimals', addon: string, required: boolean) =>
    fields.includes(field) && (
      <Row label={t(`field.${field}`)} htmlFor={`${id}-${field}`} path={field} required={required} help={helpOf(field)}>
        <InputNumber
          id={`${id}-${field}`}
          className={css.number ?? ''}
          value={draft[field]}
          {...(field === 'minutes' ? { min: 1, max: 44_640, precision: 0 } : {})}
          {...(field === 'decimals' ? { min: 0, max: 10, precision: 0 } : {})}
          {...(field === 'deadBand' ? { min: 0 } : {})}
          {...(addon === '' ? {} : { suffix: addon })}
          onChange={value => onChange({ [field]: typeof value === 'number' ? value : null })}
        />
      </Row>
    )
  const helpOf = (field: string) =>
    field === 'deadBand' ? t('help.deadBand') : field === 'decimals' ? t('help.decimals') : undefined
  return (
    <>
      <Row label={t('kind')} htmlFor={`${id}-kind`} path="kind" help={t(`kindHelp.${kind}`)} required>
        <Select
          id={`${id}-kind`}
          value={kind}
          options={KINDS.map(value => ({ value, label: t(`kinds.${value}`) }))}
          onChange={next => onChange({ kind: next })}
        />
      </Row>
      {!WITHOUT_PROPERTY.includes(kind) && (
        <Row label={t('property')} htmlFor={`${id}-property`} path="property" required>
          <AutoComplete
            id={`${id}-property`}
            value={draft.property}
            placeholder={t('propertyHint')}
            options={propertyOptions(model.properties)}
            showSearch={{
              filterOption: (typed, option) =>
                String(option?.label ?? '')
                  .toLowerCase()
                  .includes(typed.toLowerCase()),
            }}
            onChange={(value: string) =>
              onChange({
                property: value,
                valueIsText: model.properties.find(each => each.identifier === value)?.dataType.type === 'string',
              })
            }
          />
        </Row>
      )}
      <div className={css.side}>
        {number('low', unit, true)}
        {number('high', unit, true)}
        {fields.includes('value') && (
          <Row label={t('field.value')} htmlFor={`${id}-value`} path="value" required>
            <Input
              id={`${id}-value`}
              className={css.number ?? ''}
              value={draft.value}
              maxLength={256}
              suffix={unit}
              onChange={event => onChange({ value: event.target.value })}
            />
          </Row>
        )}
        {number('minutes', t('minutesUnit'), true)}
        {number('deadBand', unit, false)}
        {number('decimals', '', false)}
      </div>
      {kind === 'object' && <SourceFields source={draft.source} onChange={source => onChange({ source })} />}
      {kind === 'general' && (
        <>
          <div className={css.field}>
            <span className={css.needed}>{t('condition')}</span>
            <ConditionEditor
              condition={draft.condition}
              path="condition"
              model={model}
              onChange={condition => onChange({ condition })}
            />
          </div>
          <Row label={t('clearWhen')} htmlFor={`${id}-clear`} path="clear">
            <Select
              id={`${id}-clear`}
              value={draft.clear}
              options={(['when_false', 'condition', 'manual'] as const).map(value => ({
                value,
                label: t(`clear.${value}`),
              }))}
              onChange={clear => onChange({ clear })}
            />
          </Row>
          {draft.clear === 'condition' && (
            <ConditionEditor
              condition={draft.clearCondition}
              path="clear"
              model={model}
              onChange={clearCondition => onChange({ clearCondition })}
            />
          )}
        </>
      )}
    </>
  )
}

function AlarmFields({ draft, onChange }: Props) {
  const { t } = useTranslation('triggers')
  const levels = useAlarmLevels()
  const id = useId()
  return (
    <>
      <Checkbox checked={draft.raises} onChange={event => onChange({ raises: event.target.checked })}>
        {t('raises')}
      </Checkbox>
      {draft.raises && (
        <div className={css.side}>
          <Row label={t('level')} htmlFor={`${id}-level`} path="alarm.level">
            <Select
              id={`${id}-level`}
              className={css.number ?? ''}
              value={draft.level}
              options={levels.map(({ level }) => ({ value: level, label: <AlarmTag level={level} /> }))}
              onChange={level => onChange({ level })}
            />
          </Row>
          <Row label={t('per')} htmlFor={`${id}-per`} path="per">
            <Select
              id={`${id}-per`}
              className={css.wide ?? ''}
              value={draft.per}
              options={(['device', 'scope'] as const).map(value => ({ value, label: t(`perWhat.${value}`) }))}
              onChange={per => onChange({ per })}
            />
          </Row>
          <Row label={t('again')} htmlFor={`${id}-renew`} path="alarm.renew">
            <Select
              id={`${id}-renew`}
              className={css.wide ?? ''}
              value={draft.renew ? 'renew' : 'count'}
              options={(['count', 'renew'] as const).map(value => ({ value, label: t(`againWhat.${value}`) }))}
              onChange={value => onChange({ renew: value === 'renew' })}
            />
          </Row>
        </div>
      )}
    </>
  )
}

function MoreFields({ draft, onChange }: Props) {
  const { t } = useTranslation('triggers')
  const id = useId()
  const { antiShake } = draft
  const whole = (value: number | string | null) => (typeof value === 'number' ? value : null)
  return (
    <>
      <div className={css.field}>
        <Checkbox
          checked={antiShake !== null}
          onChange={event => onChange({ antiShake: event.target.checked ? { times: 3, seconds: 60 } : null })}
        >
          {t('antiShake')}
        </Checkbox>
        {antiShake && (
          <span className={css.inline}>
            <InputNumber
              aria-label={t('antiShakeTimes')}
              min={2}
              max={100}
              precision={0}
              value={antiShake.times}
              suffix={t('timesUnit')}
              onChange={value => onChange({ antiShake: { ...antiShake, times: whole(value) ?? 2 } })}
            />
            <InputNumber
              aria-label={t('antiShakeSeconds')}
              min={1}
              max={86_400}
              precision={0}
              value={antiShake.seconds}
              suffix={t('secondsUnit')}
              onChange={value => onChange({ antiShake: { ...antiShake, seconds: whole(value) ?? 60 } })}
            />
            <Checkbox
              checked={antiShake.consecutive === true}
              onChange={event =>
                onChange({
                  antiShake: {
                    times: antiShake.times,
                    seconds: antiShake.seconds,
                    ...(event.target.checked ? { consecutive: true } : {}),
                  },
                })
              }
            >
              {t('consecutive')}
            </Checkbox>
          </span>
        )}
        <Complaint path="antiShake" below />
      </div>
      <div className={css.side}>
        <Row label={t('quiet')} htmlFor={`${id}-quiet`} path="quietSeconds" help={t('help.quiet')}>
          <InputNumber
            id={`${id}-quiet`}
            className={css.number ?? ''}
            min={0}
            max={2_678_400}
            precision={0}
            value={draft.quietSeconds}
            suffix={t('secondsUnit')}
            onChange={value => onChange({ quietSeconds: whole(value) })}
          />
        </Row>
        <Row label={t('repeat')} htmlFor={`${id}-repeat`} path="repeatSeconds" help={t('help.repeat')}>
          <InputNumber
            id={`${id}-repeat`}
            className={css.number ?? ''}
            min={0}
            max={2_678_400}
            precision={0}
            value={draft.repeatSeconds}
            suffix={t('secondsUnit')}
            onChange={value => onChange({ repeatSeconds: whole(value) })}
          />
        </Row>
        <Row label={t('expiresAt')} htmlFor={`${id}-expires`} path="expiresAt" help={t('help.expires')}>
          <DatePicker
            id={`${id}-expires`}
            showTime
            value={draft.expiresAt === null ? null : dayjs(draft.expiresAt)}
            onChange={value => onChange({ expiresAt: value === null ? null : value.valueOf() })}
          />
        </Row>
      </div>
      <Row label={t('description')} htmlFor={`${id}-description`} path="description">
        <Input.TextArea
          id={`${id}-description`}
          value={draft.description}
          maxLength={512}
          autoSize={{ minRows: 2, maxRows: 6 }}
          onChange={event => onChange({ description: event.target.value })}
        />
      </Row>
    </>
  )
}
