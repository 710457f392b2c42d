using System.Diagnostics;
using System.Text.Json.Nodes;
using Loxo.IntegrationTests.Poolers;

namespace Loxo.IntegrationTests.Types;

/// <summary>Types in a process that makes no code at run time and in which System.Text.Json uses no reflection, as in a native program.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class NativeTests(WaitMode mode) : DatabaseTest(mode)
{
    private const int Longest = 60_000;
    private const string NoMetadata = "Loxo.IntegrationTests.Types.Own, of which System.Text.Json has no metadata. Add [JsonSerializable(";

    [Test]
    public async Task Documents_and_nodes_need_no_reflection_and_an_error_names_the_mapping_that_another_type_needs()
    {
        (string Use, string Result)[] expected =
        [
            ("reflection", "False, code: False"),
            ("read JsonDocument", """{"a":1}"""),
            ("read JsonElement", """{"a":1}"""),
            ("read JsonNode", """{"a":1}"""),
            ("read JsonObject", """{"a":1}"""),
            ("read JsonElement[]", """{"a":1}"""),
            ("read JsonNode[]", """{"a":1}"""),
            ("write JsonDocument", """{"a":2}"""),
            ("write JsonElement", """{"a":2}"""),
            ("write JsonObject", """{"a":2}"""),
            ("write JsonObject", """{"b":{"a":3}}"""),
            ("write JsonArray", """[1, "x"]"""),
            ("read Own", NoMetadata),
            ("write Own", NoMetadata),
            ("read Mood", "Sad"),
            ("read Mood?", "MapEnum<Loxo.IntegrationTests.Types.Mood>"),
            ("read Mood[]", "MapEnum<Loxo.IntegrationTests.Types.Mood>"),
            ("write Mood", "MapEnum<Loxo.IntegrationTests.Types.Mood>"),
            ("write Mood", "MapEnum<Loxo.IntegrationTests.Types.Mood>"),
            ("read Trimmed", "MapComposite<Loxo.IntegrationTests.Types.Trimmed>"),
            ("read Own[]", "MapComposite<Loxo.IntegrationTests.Types.Own>"),
            ("write JsonDocument", """{/ "a": 2/}"""),
            ("write Own", """{"a":3}"""),
        ];
        var lines = await RunProgram();
        Assert.Multiple(() =>
        {
            Assert.That(lines, Has.Length.EqualTo(expected.Length));
            foreach (var (line, (use, result)) in lines.Zip(expected))
                Assert.That(line, Does.StartWith(use + ": ").And.Contains(result));
        });
    }

    private async Task<string[]> RunProgram()
    {
        var program = typeof(NativeProgram).Assembly.Location;
        var settings = Path.Combine(Path.GetTempPath(), $"loxo-native-{Guid.NewGuid():N}.json");
        var runtime = JsonNode.Parse(await File.ReadAllTextAsync(Path.ChangeExtension(program, ".runtimeconfig.json")))!["runtimeOptions"]!;
        var switches = runtime["configProperties"] ??= new JsonObject();
        switches["System.Text.Json.JsonSerializer.IsReflectionEnabledByDefault"] = false;
        switches["System.Runtime.CompilerServices.RuntimeFeature.IsDynamicCodeSupported"] = false;
        await File.WriteAllTextAsync(settings, new JsonObject { ["runtimeOptions"] = runtime.DeepClone() }.ToJsonString());
        try
        {
            var start = new ProcessStartInfo("dotnet",
                ["exec", "--runtimeconfig", settings, program, NativeProgram.Name, PoolerOfTheRun.ConnectionString, $"{Mode}"])
            {
                RedirectStandardOutput = true,
            };
            using var process = Process.Start(start)!;
            try
            {
                var output = process.StandardOutput.ReadToEndAsync();
                Assert.That(process.WaitForExit(Longest), Is.True, "the process does not end");
                return (await output).Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
            }
            finally
            {
                process.Kill();
            }
        }
        finally
        {
            File.Delete(settings);
        }
    }
}
