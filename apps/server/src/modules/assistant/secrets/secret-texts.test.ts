import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { withoutSecretTexts } from './secret-texts.ts'

/** Built at run time, so that no scanner takes this file for a leak. */
const join = (...parts: string[]) => parts.join('')
const B62 = 'q7Hf2LxZ9bVn4KtR8mWc3YpD'

/** What it is, the text, and the part that must not stay. */
const GO: [string, string, string][] = [
  ['a short bearer token in a header', 'Authorization: Bearer abc.def', 'abc.def'],
  ['a header in an array', '{"headers":[["Authorization","Bearer abc.def"]]}', 'abc.def'],
  ['a password with an arrow', 'secretKey => abc123def', 'abc123def'],
  ['an encoded form field', 'grant_type=x&client_secret%3Dabc123', 'abc123'],
  ['a password of something', 'the password of the gateway: hunter2', 'hunter2'],
  ['a Chinese password after 就是', '我的密码就是 qwe123，不要告诉别人', 'qwe123'],
  ['a Chinese password that is set', '把密码设置为 Qwe12345', 'Qwe12345'],
  ['a line of a settings file', '[mqtt]\nuser=a\npass=b1c2d3', 'b1c2d3'],
  ['a Wi-Fi key', 'WPA2 key: topsecret99', 'topsecret99'],
  ['the Wi-Fi of an ESP module', 'AT+CWJAP="home","my home key"', 'my home key'],
  ['the MQTT sign-in of a Quectel module', 'AT+QMTCONN=0,"id","user","pass123"', 'pass123'],
  ['the MQTT sign-in of an ESP module', 'AT+MQTTUSERCFG=0,1,"id","user","pass123",0,0,""', 'pass123'],
  ['the password of sshpass', 'sshpass -p Secr3t! ssh root@gateway', 'Secr3t!'],
  ['an option in an array', '{"args":["--password","abc123"]}', 'abc123'],
  ['an API key of ours', `use ${join('twk_', 'k3p9x7aaLONGLONG')} for it`, 'k3p9x7aaLONG'],
  ['a product secret', join('twp_', 'Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5'), 'Zm9vYmFy'],
  ['an access token of a device', `user ${join('twt_', 'aB3dE5fG7hI9jK1lM3nO')}`, 'aB3dE5fG'],
  ['a JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF-_123', 'eyJzdWIi'],
  ['a private key', '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----', 'MHcCAQEE'],
  ['an OpenSSH key', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n', 'b3BlbnNzaC1r'],
  ['an AWS key', join('AKIA', 'IOSFODNN7EXAMPLE'), 'IOSFODNN'],
  ['an Alibaba Cloud key', join('LTAI', '5tRqAbCdEfGhIjKlMnOp'), '5tRqAbCd'],
  ['a Google key', join('AIza', 'SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q'), 'SyA1b2C3'],
  ['a GitHub token', join('ghp_', '16C7e42F292c6912E7710c838347Ae178B4a'), '16C7e42F'],
  ['a GitLab token', join('glpat-', 'x9Zk2mQ7vB4nT1rL5wYs'), 'x9Zk2mQ7'],
  ['a key of a model', join('sk-', 'proj-8Fq2Lx9ZbVn4KtR8mWc3YpD'), '8Fq2Lx9Z'],
  ['a payment key', join('sk_live_', '51H8xQ2eZvKYlo2C'), '51H8xQ2e'],
  ['a chat token', join('xoxb-', '2048-4096-abcDEFghiJKL'), 'abcDEFghi'],
  ['a password in an address', 'connect to mqtt://gateway:s3cr3t-Pass@10.0.0.4:1883', 's3cr3t-Pass'],
  ['the password of a database', 'postgres://app:hunter2@db/app is the address', 'hunter2'],
  ['a chat webhook', 'https://hooks.slack.com/services/T00000000/B00000000/XXXX1234abcd', 'XXXX1234'],
  [
    'a webhook of WeCom',
    'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=693a91f6-7xxx-4bc4-97a0-0ec2sifa5aaa',
    '693a91f6',
  ],
  ['a token in an address', 'https://api.example.com/v1/items?access_token=abc123def456', 'abc123def456'],
  ['a bearer header', 'Authorization: Bearer mF_9.B5f-4.1JqM', 'mF_9.B5f'],
  ['a basic header', 'authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==', 'QWxhZGRpb'],
  ['password=…', 'try password=hunter2 please', 'hunter2'],
  ['password: … at the end', 'the password: correcthorse', 'correcthorse'],
  ['my password is …', 'my password is Tr0ub4dor&3, why is it refused?', 'Tr0ub4dor'],
  ['密码是…', '设备密码是abc12345，为什么连不上', 'abc12345'],
  ['密钥：…', '设备密钥：Kx9-a8Qz，请检查', 'Kx9-a8Qz'],
  ['a secret in JSON', '{"deviceSecret":"plainwords","id":1}', 'plainwords'],
  ['a secret in JSON in a text', '{"text":"{\\"password\\":\\"inner-one\\"}"}', 'inner-one'],
  ['an option of a program', 'mosquitto_pub -h host -u pk/no -P simplepass -t x', 'simplepass'],
  ['a PIN', 'PIN: 482913', '482913'],
  ['a LoRaWAN key by its name', 'AppKey = 2B7E151628AED2A6ABF7158809CF4F3C', '2B7E1516'],
  ['a variable', 'export LLM_API_KEY=abcdef', 'abcdef'],
  ['the text of an element', '<user><password>hunter2</password></user>', 'hunter2'],
  ['an element with blanks and CDATA', '<ns:Passwd type="x"> <![CDATA[open sesame]]> </ns:Passwd>', 'sesame'],
  ['a value of an element that is named beside', '<property name="password">hunter two</property>', 'hunter'],
  ['a value of a setting', '<add key="DbPassword" value="hunter2"/>', 'hunter2'],
  ['a value whose key is told beside', '{"key":"password","value":"plainwords"}', 'plainwords'],
  ['a value before its key', '{"value":"plainwords","name":"apiKey"}', 'plainwords'],
  ['a value in a text in JSON', '{"t":"{\\"key\\":\\"password\\",\\"value\\":\\"inner-one\\"}"}', 'inner-one'],
  ['a value in YAML', '- name: DB_PASSWORD\n  value: hunter2', 'hunter2'],
  ['a passphrase of several words', 'passphrase: correct horse battery', 'horse battery'],
  ['a passphrase in a sentence', 'my wifi password is correct horse battery staple.', 'battery'],
  ['密码 and a blank', '登录密码 Admin@2024 不对', 'Admin@2024'],
  ['密码 and nothing', '密码Admin2024', 'Admin2024'],
  ['password and a blank', 'use password hunter2 for it', 'hunter2'],
  ['验证码', '验证码 482913，5 分钟内有效', '482913'],
  ['a code by SMS', 'Your verification code is 482913.', '482913'],
  ['a computed password', `-P ${'hmacsha256'}:1732233600000:${'0a'.repeat(32)}`, '0a0a0a'],
  ['the same in a sentence', `the password hmacmd5:1732233600000:${'0b'.repeat(16)} is refused`, '0b0b0b'],
  [
    'a device secret in Base64',
    Buffer.from('vN3kQ8zL1xR7tY2wP5mB9cD4fG6hJ0sA-_uEiOaTqWe').toString('base64'),
    'dk4za1E4',
  ],
  ['a password in Base64', `config ${Buffer.from('{"password":"hunter2"}').toString('base64')}`, 'eyJwYXNz'],
  ['a password in hex', Buffer.from('password=hunter2;').toString('hex'), '70617373'],
  ['a cookie', 'Cookie: session=a1b2c3d4e5', 'a1b2c3d4e5'],
  ['a device secret, alone', 'vN3kQ8zL1xR7tY2wP5mB9cD4fG6hJ0sA-_uEiOaTqWe', 'vN3kQ8zL1x'],
  ['letters and digits at random', `what is ${B62}`, B62],
  [
    '32 random bytes in Base64',
    `key ${Buffer.from(createHash('sha256').update('x').digest()).toString('base64')}`,
    'LXEWQr',
  ],
]

const HASH = createHash('sha256').update('firmware').digest('hex')
const frame = (text: string) => Buffer.from(text, 'hex').toString('base64')

const STAY: string[] = [
  // Frames in hex.
  '01 03 00 00 00 0A C5 CD',
  '0103000A0001A408',
  '7E0100005A0A0B0C0D0E0F7E',
  '68AAAAAAAAAAAA681104333333333416',
  'frame FEFEFE68010000000000681104333334332F16',
  `${'AA55'.repeat(40)}`,
  '0x1A2B3C4D',
  '0x7f 0xff 0x00',
  '48656c6c6f20576f726c64',
  'ff:ff:01:02:03:04:05:06',
  // Hashes of files.
  HASH,
  `sha256:${HASH}`,
  `firmware sha256 ${HASH.toUpperCase()}`,
  'md5 9e107d9d372bb6826bd81d3542a419d6',
  'crc32 cbf43926',
  'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  '"integrity":"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
  'etag "5d8c72a5edda8d6a"',
  'commit 4a85539c0ffee0123456789abcdef0123456789a',
  // Identifiers.
  '0190a0a0-0000-7000-8000-000000000001',
  '{"id":"0190A0A0-1234-7ABC-8DEF-0123456789AB"}',
  '/manage/device?id=0190a0a0-0000-7000-8000-000000000001',
  '0190a0a012347abc8def0123456789ab',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '507f1f77bcf86cd799439011',
  // Product keys and device numbers.
  'product key a1B2c3D4e5F',
  'productKey: k7Tq9ZxW2mP',
  '{"productKey":"k7Tq9ZxW2mP"}',
  'product_key=k7Tq9ZxW2mP',
  'things/a1B2c3D4e5F/CR-9/property/post',
  'v1/devices/me/telemetry',
  '/sys/a1B2c3D4e5F/device-01/thing/event/property/post',
  'SN20241122000017',
  'SN2024A1B2C3D4E5F6G7',
  'DTU-4G-LTE-CAT1-00017',
  'TH_2024.11:0042',
  'WS-S10A-EU-2.4G-0000123',
  'device number 863412050012345',
  '冷库温控器-2024-0017',
  // Numbers.
  '89860318760105612345',
  'ICCID 89860318760105612345',
  'IMEI 863412050012345',
  'IMSI 460030123456789',
  'phone 13800138000',
  '1763785860000',
  '1763785860',
  '2026-11-22T12:31:00.000Z',
  '2026-11-22 20:31:00 +08:00',
  '3.141592653589793',
  '-18.5 ℃',
  '1e-10',
  '12,345,678.90',
  // Addresses.
  '00:1A:2B:3C:4D:5E',
  '00-1A-2B-3C-4D-5E',
  '001A2B3C4D5E',
  'DevEUI 70B3D57ED005ABCD',
  'AppEUI 70B3D57ED0000000',
  '192.168.1.100:8080',
  '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
  'mqtts://iot.example.com:8883',
  'https://docs.example.com/guide/getting-started-with-modbus-rtu-over-tcp',
  'https://example.com/a/very/long/path/that/goes/on/and/on/2024/11/22/index.html',
  'user@example.com',
  'tcp://10.0.0.8:6001',
  'C:\\\\Program Files\\\\Thingwright\\\\logs\\\\2026-11-22.log',
  '/var/lib/thingwright/data/uploads/2026/11/firmware-1.4.2.bin',
  // Base64 of frames and texts.
  frame('0103140000000100020003000400050006000700080009c5cd'),
  `payload ${randomBytes(48).toString('base64')}`,
  `"data":"${randomBytes(32).toString('base64')}"`,
  `frame: ${frame('68aaaaaaaaaaaa68110433333333341668aaaaaaaaaaaa681104333333333416')}`,
  Buffer.from('{"temperature":21.5,"humidity":40}').toString('base64'),
  Buffer.from('Hello from the pump in the basement').toString('base64'),
  'AQIDBAUGBwgJCgsMDQ4PEA==',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  // Names in code and long words.
  'offlineDelaySecondsOfTheProductOrItsDevices',
  'internationalizationAndLocalization2024',
  'OTA_MODULE_BOOTLOADER_VERSION_2_0_1',
  'the-quick-brown-fox-jumps-over-13-lazy-dogs',
  'temperature_sensor_room_1_floor_2_building_3',
  'esp32c3-supermini-v1.4.2-20241122-release',
  'ThingwrightDeviceManagementPlatform2026',
  'org.eclipse.paho.client.mqttv3.MqttException',
  'Qwen2.5-72B-Instruct-GPTQ-Int4',
  // Sentences about secrets, without one.
  'The password is too short.',
  'the device secret is shown once',
  'Token expired, please sign in again',
  'secret: shown once and never again',
  'Passwords: at least 8 characters',
  'password=DEVICE_SECRET',
  "-P DEVICE_SECRET -H 'Authorization: Bearer DEVICE_SECRET'",
  'password: ********',
  'the API key “Warehouse” was revoked',
  '{"hasApiKey":true,"password":null,"secretKind":"device"}',
  '{"promptTokens":1200,"completionTokens":77}',
  '{"tokenCount":3,"passwordChangedAt":"2026-11-22T00:00:00.000Z"}',
  'max_tokens: 2048',
  '{"key":"unit","value":"celsius"}',
  '{"key":"passwordPolicy","value":"strong"}',
  '{"name":"password","value":null,"required":true}',
  '<temperature>21.5</temperature>',
  '<password/>',
  '<tokenCount>12</tokenCount>',
  'the password must not be empty',
  'passphrase: at least twelve characters',
  'secret is stored as SHA-256',
  'Password sha256 is not supported',
  'password 8 to 64 characters',
  'token v2 is required',
  '密码 8 到 64 位',
  '密码长度 8-64',
  '验证码错误',
  'error code 4001',
  'status code: 2004',
  'GPIO pin: 13',
  'pin=4',
  '密码错误次数过多，请 15 分钟后再试',
  '密码是否正确？',
  '密码改为必填',
  'authorization: bearer tokens are accepted',
  'pass = true',
  'AT+CSQ="x"',
  'AT+CGDCONT=1,"IP","cmnet"',
  'a token for each device: see below',
  '设备密钥只显示一次',
  '密钥：请在设备页面查看',
  '令牌已过期',
  '为什么密码为空也能保存',
  // Measured values and settings.
  'temperature=21.5 humidity=40 state=on',
  '{"temperature":21.5,"location":{"lng":121.4737,"lat":31.2304}}',
  'holding register 40001 = 0x0A3F, scale 0.1',
  'baud 9600, 8N1, address 17',
  '[H:#],[D?],[T:#]',
  'QoS 1, retain false, client id pk.CR-9',
  'firmware 1.4.2+build.20241122.a1b2c3d',
]

describe('a text on its way to a model', () => {
  it('has thirty kinds of secrets that go, and a hundred of other things that stay', () => {
    expect(GO.length).toBeGreaterThanOrEqual(30)
    expect(STAY.length).toBeGreaterThanOrEqual(100)
  })

  it.each(GO)('loses %s', (_, text, secret) => {
    expect(text).toContain(secret)
    const told = withoutSecretTexts(text)
    expect(told).not.toContain(secret)
    expect(told).toContain('[secret]')
    // What stood around it is still there, and what is blank stays so.
    expect(withoutSecretTexts(told)).toBe(told)
  })

  it.each(STAY)('keeps %s', text => {
    expect(withoutSecretTexts(text)).toBe(text)
  })

  it('loses every secret of a thousand that devices are given', () => {
    const kept = Array.from({ length: 1000 }, () => randomBytes(32).toString('base64url')).filter(secret =>
      withoutSecretTexts(`its secret ${secret} does not work`).includes(secret),
    )
    // The rest is known by its hash.
    expect(kept.length).toBeLessThanOrEqual(20)
  })

  it('is looked through in a time that grows with its length, whatever it holds', () => {
    for (const piece of ['password', 'password=', 'a_', 'A1b', '://:', '"', 'token is ', 'curl -u ', '密码'])
      expect(withoutSecretTexts(piece.repeat(4000)).length).toBeGreaterThan(0)
  })
})
