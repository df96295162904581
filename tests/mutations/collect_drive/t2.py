src=open('/tmp/collect-redis/t1.py').read().split("a=collected(size=3); b=collected(size=3); c=carrier(a)")[0]
exec(src)
a=collected(); b=collected(size=2,k='b'); 
g=collected(grace=1,k='c'); time.sleep(.01); run('promote','w',100,outcome(b'x'),1)
run('cancel',a,'',outcome(b'c'))
d=collected(k='d')
print([state(x) for x in (a,b,g,d)], [state(carrier(x)) for x in (b,g,d)])
print(run('audit_tasks','','0','0',100) if False else '')
def au():
    x=run('audit_tasks','','0',1000); assert x[0]==b'ok'; print('tasks',x[5:], len(x[3]),len(x[4]))
    for w in ('ready','urgent','due','listed'): x=run('audit_lists','',w,0,1000); print(w,x[4:])
    for w in ('own','leases','notes','stages','waiting'): x=run('audit_rest','',w,'0',1000); print(w,x[3:])
    print('links',run('audit_links','','',1000)[4:])
au()
# told, delivered not yet
w=work(limit=0)
fresh()
a=collected(size=1); c=carrier(a); w=work(limit=5); work([end(w['claim'],c,w['got'][0][1])]); n=run('news','r','10000',10,100)
au()
run('resolve','',c,'b',outcome(),1,a); au(); run('delivered',n[3],n[4],'1',1,a); au()
