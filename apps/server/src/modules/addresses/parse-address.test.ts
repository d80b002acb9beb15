import { describe, expect, it } from 'vitest'
import { parseAddress } from './parse-address.ts'
import { findPhone, normalisePhone } from './phone.ts'
import { isRegion, REGIONS } from './regions.ts'

const parsed = (text: string) => {
  const p = parseAddress(text)
  return [p.receiver, p.phone, p.province, p.city, p.district, p.detail, p.zip].join('|')
}

const HANGZHOU = '张三|13812345678|浙江省|杭州市|西湖区|文三路100号2幢301室|'

describe('a pasted address', () => {
  it.each([
    ['name, phone, address', '张三 13812345678 浙江省杭州市西湖区文三路100号2幢301室', HANGZHOU],
    ['name, address, phone', '张三 浙江省杭州市西湖区文三路100号2幢301室 13812345678', HANGZHOU],
    ['address, name, phone', '浙江省杭州市西湖区文三路100号2幢301室 张三 13812345678', HANGZHOU],
    ['address, phone, name', '浙江省杭州市西湖区文三路100号2幢301室 13812345678 张三', HANGZHOU],
    ['phone, name, address', '13812345678 张三 浙江省杭州市西湖区文三路100号2幢301室', HANGZHOU],
    ['phone, address, name', '13812345678 浙江省杭州市西湖区文三路100号2幢301室 张三', HANGZHOU],
    ['commas', '张三,13812345678,浙江省杭州市西湖区文三路100号2幢301室', HANGZHOU],
    ['full-width commas and digits', '张三,13812345678,浙江省杭州市西湖区文三路100号2幢301室', HANGZHOU],
    ['semicolons and pauses', '张三;13812345678;浙江省、杭州市、西湖区、文三路100号2幢301室', HANGZHOU],
    ['lines', '张三\n13812345678\n浙江省杭州市西湖区\n文三路100号2幢301室', HANGZHOU],
    ['Windows lines and tabs', '张三\r\n13812345678\t浙江省\t杭州市\t西湖区\t文三路100号2幢301室', HANGZHOU],
    ['full-width blanks', '张三 13812345678 浙江省 杭州市 西湖区 文三路100号2幢301室', HANGZHOU],
    ['no separators, name first', '张三13812345678浙江省杭州市西湖区文三路100号2幢301室', HANGZHOU],
    ['no separators, name last', '浙江省杭州市西湖区文三路100号2幢301室张三13812345678', HANGZHOU],
    ['no separators, phone last', '张三浙江省杭州市西湖区文三路100号2幢301室13812345678', HANGZHOU],
    ['labels', '收货人:张三 手机:13812345678 地址:浙江省杭州市西湖区文三路100号2幢301室', HANGZHOU],
    [
      'labels of a shop',
      '收件人: 张三\n联系电话:138-1234-5678\n所在地区: 浙江省 杭州市 西湖区\n详细地址: 文三路100号2幢301室',
      HANGZHOU,
    ],
    ['labels without colons', '姓名 张三 电话 13812345678 地址 浙江省杭州市西湖区文三路100号2幢301室', HANGZHOU],
    ['country code', '张三 +86 138 1234 5678 浙江省杭州市西湖区文三路100号2幢301室', HANGZHOU],
    ['country code without plus', '张三 86-13812345678 浙江省杭州市西湖区文三路100号2幢301室', HANGZHOU],
    ['the country', '张三 13812345678 中国浙江省杭州市西湖区文三路100号2幢301室', HANGZHOU],
    ['short province', '张三 13812345678 浙江杭州市西湖区文三路100号2幢301室', HANGZHOU],
    ['short province and city', '张三 13812345678 浙江杭州西湖区文三路100号2幢301室', HANGZHOU],
    ['no province', '张三 13812345678 杭州市西湖区文三路100号2幢301室', HANGZHOU],
    ['received', '张三(收) 13812345678 浙江省杭州市西湖区文三路100号2幢301室', HANGZHOU],
    ['invisible characters', '\u202a张三\u202c 13812345678\u200b 浙江省杭州市西湖区文三路100号2幢301室', HANGZHOU],
    ['a post code', '张三 13812345678 310012 浙江省杭州市西湖区文三路100号2幢301室', `${HANGZHOU}310012`],
    ['a labelled post code', '浙江省杭州市西湖区文三路100号2幢301室 邮编:310012 张三 13812345678', `${HANGZHOU}310012`],
    ['Beijing', '李四 13900000000 北京市朝阳区建国路88号', '李四|13900000000|北京市|北京市|朝阳区|建国路88号|'],
    [
      'Beijing twice',
      '李四 13900000000 北京市北京市朝阳区建国路88号',
      '李四|13900000000|北京市|北京市|朝阳区|建国路88号|',
    ],
    [
      'Beijing with its kind of districts',
      '李四 13900000000 北京市市辖区朝阳区建国路88号',
      '李四|13900000000|北京市|北京市|朝阳区|建国路88号|',
    ],
    [
      'Shanghai, short',
      '王小明 上海浦东新区世纪大道1号 18600000000',
      '王小明|18600000000|上海市|上海市|浦东新区|世纪大道1号|',
    ],
    [
      'Chongqing county',
      '赵云 重庆市云阳县双江街道1号 15800000000',
      '赵云|15800000000|重庆市|重庆市|云阳县|双江街道1号|',
    ],
    [
      'a road named like a city',
      '钱七 江苏省南京市鼓楼区北京西路1号 13500000000',
      '钱七|13500000000|江苏省|南京市|鼓楼区|北京西路1号|',
    ],
    [
      'a road named like a city, without province',
      '钱七 南京市鼓楼区北京西路1号 13500000000',
      '钱七|13500000000|江苏省|南京市|鼓楼区|北京西路1号|',
    ],
    [
      'a district named like a province',
      '孙丽 天津市河北区中山路1号 13600000000',
      '孙丽|13600000000|天津市|天津市|河北区|中山路1号|',
    ],
    [
      'an autonomous region',
      '阿依 新疆维吾尔自治区乌鲁木齐市天山区解放南路1号 13700000000',
      '阿依|13700000000|新疆维吾尔自治区|乌鲁木齐市|天山区|解放南路1号|',
    ],
    [
      'a short autonomous region',
      '韦一 广西南宁市青秀区民族大道1号 13700000000',
      '韦一|13700000000|广西壮族自治区|南宁市|青秀区|民族大道1号|',
    ],
    [
      'a banner',
      '巴特 内蒙古呼伦贝尔市鄂温克族自治旗巴彦托海镇1号 13700000000',
      '巴特|13700000000|内蒙古自治区|呼伦贝尔市|鄂温克族自治旗|巴彦托海镇1号|',
    ],
    [
      'a prefecture',
      '杨光 云南省大理白族自治州大理市古城1号 13700000000',
      '杨光|13700000000|云南省|大理白族自治州|大理市|古城1号|',
    ],
    [
      'a county-level city',
      '周八 江苏省苏州市昆山市花桥镇绿地大道1号 13700000000',
      '周八|13700000000|江苏省|苏州市|昆山市|花桥镇绿地大道1号|',
    ],
    [
      'a city without districts',
      '吴九 广东省东莞市长安镇振安路1号 13700000000',
      '吴九|13700000000|广东省|东莞市|长安镇|振安路1号|',
    ],
    [
      'Jilin in Jilin',
      '郑十 吉林省吉林市船营区解放大路1号 13700000000',
      '郑十|13700000000|吉林省|吉林市|船营区|解放大路1号|',
    ],
    [
      'Hong Kong',
      'Chan Tai Man +852 9123 4567 香港特别行政区中西区皇后大道中1号',
      'Chan Tai Man|+85291234567|香港特别行政区|香港特别行政区|中西区|皇后大道中1号|',
    ],
    [
      'a landline with extension',
      '冯先生 0571-88888888转123 浙江省杭州市西湖区文三路1号',
      '冯先生|0571-88888888-123|浙江省|杭州市|西湖区|文三路1号|',
    ],
    [
      'a landline of Beijing',
      '李四 (010)62345678 北京市海淀区中关村大街1号',
      '李四|010-62345678|北京市|北京市|海淀区|中关村大街1号|',
    ],
    [
      'a number of the parcel only',
      '陈 13812345678-1234 浙江省杭州市西湖区文三路1号',
      '陈|13812345678-1234|浙江省|杭州市|西湖区|文三路1号|',
    ],
    [
      'a long name of a minority',
      '买买提·吐尔逊 13812345678 新疆喀什地区喀什市人民路1号',
      '买买提·吐尔逊|13812345678|新疆维吾尔自治区|喀什地区|喀什市|人民路1号|',
    ],
    [
      'a company as receiver',
      '收货人:杭州某某科技有限公司 13812345678 浙江省杭州市滨江区江南大道1号',
      '杭州某某科技有限公司|13812345678|浙江省|杭州市|滨江区|江南大道1号|',
    ],
    [
      'a name that holds a province',
      '王海南 13812345678 广东省深圳市南山区科技园1号',
      '王海南|13812345678|广东省|深圳市|南山区|科技园1号|',
    ],
    [
      'digits of a house like a post code',
      '张三 13812345678 浙江省杭州市西湖区文三路100000号',
      '张三|13812345678|浙江省|杭州市|西湖区|文三路100000号|',
    ],
    [
      'a Latin detail',
      '张三 13812345678 浙江省杭州市滨江区 Block B Unit 5',
      '张三|13812345678|浙江省|杭州市|滨江区|Block B Unit 5|',
    ],
  ])('with %s', (_, text, expected) => {
    expect(parsed(text)).toBe(expected)
  })

  it.each([
    ['nothing', '   ', '||||||'],
    ['a phone alone', '13812345678', '|13812345678|||||'],
    ['an address alone', '浙江省杭州市西湖区文三路1号', '||浙江省|杭州市|西湖区|文三路1号|'],
    ['no region', '张三 13812345678 文三路1号', '张三|13812345678||||文三路1号|'],
    [
      'a housing estate that is no district',
      '张三 13812345678 浙江省杭州市阳光小区1号',
      '张三|13812345678|浙江省|杭州市||阳光小区1号|',
    ],
    ['a province alone', '张三 13812345678 浙江省', '张三|13812345678|浙江省||||'],
    ['an unknown city', '张三 13812345678 浙江省某某市某某区1号', '张三|13812345678|浙江省||某某区|1号|'],
  ])('says only what is in it: %s', (_, text, expected) => {
    expect(parsed(text)).toBe(expected)
  })

  it('may be anything at all', () => {
    for (const text of [
      '\0\u0001\u0002',
      '浙'.repeat(500),
      '省市区'.repeat(160),
      '1'.repeat(500),
      '收货人:'.repeat(120),
      '((((((',
      '😀'.repeat(200),
      'السلام عليكم 13812345678',
      '<script>alert(1)</script>',
      "'; drop table addresses; --",
      '张三 '.repeat(100),
      '\ud800',
      '区'.repeat(500),
      '号'.repeat(500),
      `${'a '.repeat(240)}`,
      '-'.repeat(500),
      '1-'.repeat(250),
      '+86'.repeat(160),
    ]) {
      const result = parseAddress(text)
      for (const value of Object.values(result)) {
        expect(value).toBeTypeOf('string')
        expect(value).not.toMatch(/[\u0001\u0002]/)
      }
    }
  })
})

describe('a phone number', () => {
  it.each([
    ['13812345678', '13812345678'],
    ['138 1234 5678', '13812345678'],
    ['138-1234-5678', '13812345678'],
    ['+8613812345678', '13812345678'],
    ['0086 13812345678', '13812345678'],
    ['13812345678', '13812345678'],
    ['010-62345678', '010-62345678'],
    ['(0571)88888888', '0571-88888888'],
    ['0571 8888 8888', '0571-88888888'],
    ['057188888888-12', '0571-88888888-12'],
    ['400-800-1234', '4008001234'],
    ['+852 2123 4567', '+85221234567'],
    ['+1 (415) 555-2671', '+14155552671'],
    ['12812345678', null],
    ['1381234567', null],
    ['138123456789', null],
    ['88888888', null],
    ['', null],
    ['abc', null],
    ['+86 123', null],
    ['+0123456789', null],
  ])('%s is kept as %s', (written, kept) => {
    expect(normalisePhone(written)).toBe(kept)
  })

  it('is found inside a text, not inside a longer number', () => {
    expect(findPhone('打13812345678找我')?.phone).toBe('13812345678')
    expect(findPhone('单号2138123456781234')).toBeNull()
  })
})

describe('regions', () => {
  it('are all provinces, each city in one of them', () => {
    expect(REGIONS).toHaveLength(34)
    const cities = REGIONS.flatMap(region => region.cities)
    expect(cities.length).toBeGreaterThan(360)
    expect(new Set(cities).size).toBe(cities.length)
    for (const name of cities) expect(name).toMatch(/^\p{Script=Han}{2,12}(市|县|州|盟|地区|林区|行政区)$/u)
    expect(isRegion('浙江省', '杭州市')).toBe(true)
    expect(isRegion('浙江省', '南京市')).toBe(false)
    expect(isRegion('重庆市', '重庆市')).toBe(true)
  })
})
