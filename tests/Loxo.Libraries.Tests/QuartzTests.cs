using System.Collections.Specialized;
using System.Text.Json;
using Quartz;
using Quartz.Impl;
using Quartz.Impl.AdoJobStore;
using Quartz.Impl.AdoJobStore.Common;
using Quartz.Spi;

namespace Loxo.LibraryTests;

public sealed class QuartzTests : LibraryTest
{
    private static readonly TaskCompletionSource<string> _ran = new(TaskCreationOptions.RunContinuationsAsynchronously);

    [Test]
    public async Task Jobs_are_kept_in_the_database_with_the_provider_described()
    {
        await Execute(QuartzTables.Sql);
        DbProvider.RegisterDbMetadata("Loxo", new DbMetadata
        {
            ProductName = "Loxo",
            AssemblyName = "Loxo",
            ConnectionType = typeof(PgConnection),
            CommandType = typeof(PgCommand),
            ParameterType = typeof(PgParameter),
            ParameterDbType = typeof(PgDbType),
            ParameterDbTypePropertyName = nameof(PgParameter.PgDbType),
            DbBinaryTypeName = nameof(PgDbType.Bytea),
            ExceptionType = typeof(PgException),
            ParameterNamePrefix = "@",
            UseParameterNamePrefixInParameterCollection = true,
            BindByName = true,
        });
        var scheduler = await new StdSchedulerFactory(new NameValueCollection
        {
            ["quartz.scheduler.instanceName"] = "shop",
            ["quartz.jobStore.type"] = typeof(JobStoreTX).AssemblyQualifiedName,
            ["quartz.jobStore.driverDelegateType"] = typeof(PostgreSQLDelegate).AssemblyQualifiedName,
            ["quartz.jobStore.dataSource"] = "main",
            ["quartz.jobStore.tablePrefix"] = "qrtz_",
            ["quartz.serializer.type"] = typeof(JsonData).AssemblyQualifiedName,
            ["quartz.dataSource.main.provider"] = "Loxo",
            ["quartz.dataSource.main.connectionString"] = ConnectionString,
        }).GetScheduler();
        try
        {
            await scheduler.ScheduleJob(
                JobBuilder.Create<Job>().WithIdentity("job").UsingJobData("message", "hello").Build(),
                TriggerBuilder.Create().StartNow().WithIdentity("now").Build());
            await scheduler.ScheduleJob(
                JobBuilder.Create<Job>().WithIdentity("later").Build(), TriggerBuilder.Create().WithCronSchedule("0 0 3 1 1 ? 2099").Build());
            await scheduler.Start();

            Assert.That(await _ran.Task.WaitAsync(TimeSpan.FromMinutes(2)), Is.EqualTo("hello"));
            Assert.That(await Scalar("SELECT string_agg(cron_expression, '') FROM qrtz_cron_triggers"), Is.EqualTo("0 0 3 1 1 ? 2099"));
        }
        finally
        {
            await scheduler.Shutdown(waitForJobsToComplete: true);
        }
    }

    public sealed class Job : IJob
    {
        public Task Execute(IJobExecutionContext context)
        {
            _ran.TrySetResult(context.MergedJobDataMap.GetString("message")!);
            return Task.CompletedTask;
        }
    }

    /// <summary>Keeps the data of jobs as JSON; Quartz has a package of its own for it.</summary>
    public sealed class JsonData : IObjectSerializer
    {
        public void Initialize()
        {
        }

        public byte[] Serialize<T>(T obj)
            where T : class => JsonSerializer.SerializeToUtf8Bytes((IDictionary<string, object>)obj);

        public T? DeSerialize<T>(byte[] data)
            where T : class
        {
            var map = new JobDataMap();
            foreach (var pair in JsonSerializer.Deserialize<Dictionary<string, string>>(data)!)
                map[pair.Key] = pair.Value;
            return (T)(object)map;
        }
    }
}
