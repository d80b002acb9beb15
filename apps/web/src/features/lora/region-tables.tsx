import type { LoraRegionView } from '@thingwright/contracts/lora.contract'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { megahertz } from './hooks.ts'
import css from './lora.module.css'

type Rate = LoraRegionView['dataRates'][number]

/** `SF7 / 125 kHz`, `FSK 50 kbit/s` */
export function rateText({ modulation, spreadingFactor, bandwidth, bitrate, codingRate }: Rate): string {
  const kilohertz = bandwidth === null ? '' : `${formatNumber(bandwidth / 1000)} kHz`
  if (modulation === 'LORA') return `SF${spreadingFactor} / ${kilohertz}`
  if (modulation === 'FSK') return `FSK ${formatNumber((bitrate ?? 0) / 1000)} kbit/s`
  return `LR-FHSS CR ${codingRate} / ${kilohertz}`
}

/** The channels and the data rates of a region. */
export function RegionTables({ region }: { region: LoraRegionView }) {
  const { t } = useTranslation('lora')
  return (
    <div className={css.columns}>
      <Panel title={t('region.channels')} hint={t('region.channelsHint')} flush>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{t('region.channel')}</th>
              <th scope="col">{t('region.frequency')}</th>
              <th scope="col">{t('region.dataRates')}</th>
            </tr>
          </thead>
          <tbody>
            {region.channels.map(({ frequency, dataRates }, at) => (
              <tr key={frequency}>
                <td>{at}</td>
                <td>{megahertz(frequency)}</td>
                <td>{dataRates.map(dr => `DR${dr}`).join(' ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
      <Panel title={t('region.dataRates')} hint={t('region.dataRatesHint')} flush>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{t('region.dr')}</th>
              <th scope="col">{t('region.modulation')}</th>
              <th scope="col">{t('region.direction')}</th>
            </tr>
          </thead>
          <tbody>
            {region.dataRates.map(rate => (
              <tr key={`${rate.dr} ${rate.uplink}`}>
                <td>{`DR${rate.dr}`}</td>
                <td>{rateText(rate)}</td>
                <td>
                  {rate.uplink && rate.downlink ? t('region.both') : rate.uplink ? t('region.up') : t('region.down')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
    </div>
  )
}
