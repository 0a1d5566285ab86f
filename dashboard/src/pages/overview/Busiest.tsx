import type { HotKey, RuleRates } from '../../api/types';
import { href } from '../../app/route';
import { rate } from '../../ui/format';

export function Busiest({ rules, alone }: { rules: RuleRates[]; alone: boolean }) {
  return (
    <table>
      <caption>Per second, over the last ten seconds{alone ? '' : ', this instance'}</caption>
      <thead>
        <tr>
          <th scope="col">Rule</th>
          <th scope="col" className="num">Allowed</th>
          <th scope="col" className="num">Denied</th>
          <th scope="col" className="num">Shadow</th>
        </tr>
      </thead>
      <tbody>
        {rules.map((rule) => (
          <tr key={rule.rule}>
            <th scope="row" className="break">
              <a href={href(['rules', rule.rule])}>{rule.rule}</a>
            </th>
            <td className="num">{rate(rule.allowed)}</td>
            <td className={rule.denied > 0 ? 'num some-denied' : 'num zero'}>{rate(rule.denied)}</td>
            <td className={rule.shadowDenied > 0 ? 'num' : 'num zero'}>{rate(rule.shadowDenied)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function HotKeys({ keys }: { keys: HotKey[] }) {
  return (
    <table className="hot">
      <caption>Hot keys</caption>
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">Rule</th>
          <th scope="col" className="num">Per second</th>
        </tr>
      </thead>
      <tbody>
        {keys.slice(0, 5).map((key) => (
          <tr key={`${key.rule} ${key.key}`}>
            <th scope="row" className="break">{key.key}</th>
            <td className="break">{key.rule}</td>
            <td className="num">{rate(key.perSecond)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
