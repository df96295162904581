exec(open('/tmp/collect-redis/drive.py').read().replace("t=open(D+n+'.lua').read()","t=open(D+n+'.lua',encoding='utf8').read()"))
import re
def count(t):
    c=0
    for l in t.split('\n'):
        m=re.match(r'local function ',l)
        if m: c+=1; continue
        m=re.match(r'local ([\w, ]+)',l)
        if m: c+=len(m.group(1).split(','))
    return c
import glob
last="open stamp submit_new submit work extend note stage stages promote recover adopt clean cancel find watch beat leave busy enrol depend confirm withdraw links news resolve delivered revive pause edit remove overview list running audit_tasks audit_lists audit_rest trim untangle repair repair_count resume forget sweep audit_links schedules_due schedules_find schedules_list schedules_step settings_find settings_set limits_set limits_list audit_gates bundle".split()
for n in last:
    t=text(n); c=count(t)
    try: r('SCRIPT','LOAD',t.encode('utf8')); ok=''
    except Exception as e: ok=str(e)
    if c>160 or ok: print(n,c,ok)
print('margins')
for n in 'resolve promote schedules_step cancel remove submit edit work'.split():
    t=text(n)
    for m in range(1,60):
        # locals declared last before the steps: put at very top
        x=''.join('local zz%d\n'%k for k in range(m))+t
        try: r('SCRIPT','LOAD',x)
        except Exception as e: print(n,m-1); break
