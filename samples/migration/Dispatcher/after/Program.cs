using Dispatcher;
using Loxo;

// A worker that takes jobs from a table; several of them could run at once.
if (args.Length != 1)
{
    Console.Error.WriteLine("Usage: Dispatcher CONNECTION_STRING");
    return 2;
}

await JobDatabase.CreateAsync(args[0]);
try
{
    var builder = new PgDataSourceBuilder(args[0] + ";Search Path=dispatcher;Include Error Detail=true");
    builder.MapEnum<JobState>("job_state");
    builder.MapComposite<Address>("address");
    builder.EnableDynamicJson();
    await using var dataSource = builder.Build();

    var worker = new JobWorker(dataSource);
    await worker.AddAsync(new Letter("Ada", ["invoice"]), new Address("Main St 1", "Springfield"));
    await worker.AddAsync(new Letter("Bob", []), new Address("Hill Rd 2", null));
    await worker.AddAsync(new Letter("", ["reminder", "invoice"]), new Address("Main St 3", "Springfield"));
    while (await worker.RunNextAsync(CancellationToken.None))
    {
    }
    await worker.ReportAsync();
}
finally
{
    await JobDatabase.DropAsync(args[0]);
}
return 0;
