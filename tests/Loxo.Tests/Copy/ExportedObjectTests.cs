using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Loxo.Tests.Copy;

public sealed class ExportedObjectTests
{
    [TestCase(typeof(PgBinaryExporter), nameof(PgBinaryExporter.ReadRows))]
    [TestCase(typeof(PgBinaryExporter), nameof(PgBinaryExporter.ReadRowsAsync))]
    [TestCase(typeof(PgDataSource), nameof(PgDataSource.Export))]
    [TestCase(typeof(PgDataSource), nameof(PgDataSource.ExportAsync))]
    public void Whoever_publishes_a_native_program_is_warned_of_code_made_at_run_time(Type type, string name)
    {
        foreach (var method in type.GetMethods().Where(method => method.Name == name))
        {
            var takesFunction = method.GetParameters().Any(parameter => parameter.Name == "row");
            Assert.That(method.GetCustomAttribute<RequiresDynamicCodeAttribute>(), takesFunction ? Is.Null : Is.Not.Null, method.ToString());
        }
    }
}
